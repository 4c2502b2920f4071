// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/cloth_match.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/triangle_surface.h"

namespace sinew::transfer {
namespace {

constexpr double kFarthestCloth = 0.1;  // All lengths in shares of the body's size.
constexpr double kNormalsAlike_rad = radians(20);
/// Between the normal and the direction from the nearest point: the first near the surface, the second from
/// `kLooseCloth` on.
constexpr double kNearDirection_rad = radians(30), kFarDirection_rad = radians(15);
/// A body is coarse where its edges are longer than this many distances. Beyond, the uncertainty falls with a power of
/// the distance: with the power 1 loose cloth over CesiumMan took rows of other limbs (error 0.074 instead of 0.064).
constexpr double kMostSpread_rad = radians(45), kCoarseDistances = 2, kCoarsePower = 1.5;
constexpr double kTightCloth = 0.003, kLooseCloth = 0.01;
/// Nearer than this, directions mean nothing.
constexpr double kTouching = 1e-4;
/// How far the ray's point may be from the nearest point, in distances from the body: near it and from `kLooseCloth`
/// on.
constexpr double kNearRay = 1, kFarRay = 0.3;
/// Open shells of which fewer match are tried with their faces turned round.
constexpr double kFewMatch = 0.5;
constexpr double kThickestCloth = 0.02;

/// One vertex of cloth with a given normal.
struct ClothProbe {
  bool matched = false;
  double doubt = 2;  // 1 at the limits.
  Index triangle = kNone;
  Vec3 barycentric = Vec3::Zero();
};

double between(double near, double far, double distance) {
  const double t = std::clamp((distance - kTightCloth) / (kLooseCloth - kTightCloth), 0.0, 1.0);
  return near + t * (far - near);
}

// How much the body's normals differ within the triangle below a vertex of cloth. On a body that is coarse compared
// with the distance, all angles are that uncertain. So they are at the rim of cloth at any distance: there the normal
// is that of the faces on one side only.
double uncertain_angle(const ReferenceSurface& body, const geometry::ClosestPoint& nearest, bool rim) {
  const Vec3 normal = body.normal(nearest.triangle, nearest.barycentric);
  double spread = 0;
  for (int k = 0; k < 3; ++k)
    spread = std::max(spread, angle_between(normal, body.normal(nearest.triangle, Vec3::Unit(k))));
  if (rim) return std::min(spread, kMostSpread_rad);
  const double coarse = body.triangle_width(nearest.triangle) / (kCoarseDistances * nearest.distance);
  return std::min(spread, kMostSpread_rad) * std::pow(std::min(coarse, 1.0), kCoarsePower);
}

ClothProbe probe(const ReferenceSurface& body, double size, const Vec3& place, const Vec3& normal,
                 const geometry::ClosestPoint& nearest, bool rim) {
  ClothProbe result{false, 2, nearest.triangle, nearest.barycentric};
  const double distance = nearest.distance / size;
  const double turn = angle_between(normal, body.normal(nearest.triangle, nearest.barycentric));
  const double uncertain = uncertain_angle(body, nearest, rim);
  const bool touching = distance < kTouching;
  const double slant = touching ? 0 : angle_between(normal, place - nearest.point);
  result.doubt = std::max({distance / kFarthestCloth, turn / (kNormalsAlike_rad + uncertain),
                           slant / (between(kNearDirection_rad, kFarDirection_rad, distance) + uncertain)});
  result.matched = result.doubt <= 1;
  if (!result.matched || touching) return result;
  const geometry::RayHit hit = body.nearest_hit({place, -normal, 0, (1 + kNearRay) * nearest.distance});
  const double gap = hit ? (place - hit.t * normal - nearest.point).norm() / nearest.distance : kNearRay + 1;
  if (!hit || gap > between(kNearRay, kFarRay, distance) + std::tan(uncertain) ||
      angle_between(normal, body.normal(hit.triangle, hit.barycentric)) > kNormalsAlike_rad + uncertain) {
    result.matched = rim || distance < kLooseCloth;
    return result;
  }
  result.triangle = hit.triangle;
  result.barycentric = hit.barycentric;
  return result;
}

/// Per welded vertex: whether its shell is open, and whether it is at the rim.
struct OpenShells {
  std::vector<char> open, rim;
};

OpenShells open_shells(const Mesh& mesh, const geometry::Welding& welding, const geometry::Components& shells) {
  const geometry::HalfEdges edges = geometry::half_edges(mesh, &welding);
  std::vector<char> open(shells.count, 0);
  OpenShells result{std::vector<char>(welding.count(), 0), std::vector<char>(welding.count(), 0)};
  for (Index h = 0; h < edges.size(); ++h) {
    if (edges.kind[h] != geometry::EdgeKind::kBoundary) continue;
    open[shells.of_face[edges.face[h]]] = 1;
    result.rim[edges.vertex[h]] = result.rim[edges.vertex[edges.next[h]]] = 1;
  }
  for (Index w = 0; w < welding.count(); ++w)
    if (const Index shell = shells.of_vertex[welding.first[w]]; shell != kNone) result.open[w] = open[shell];
  return result;
}

/// The outer layer behind each unmatched vertex, seen along the side that faces away from the body.
Index match_inner_layers(ClothMatch& match, double size, const std::vector<Vec3>& places,
                         const std::vector<Vec3>& normals, const std::vector<char>& open, const Mesh& mesh,
                         const geometry::Welding& welding) {
  // An open shell is a single layer; where it folds over, a ray would meet another limb's cloth.
  const auto inner = [&](std::size_t w) { return match.matched[w] == 0 && open[w] == 0 && normals[w].norm() > 0; };
  bool any = false;
  for (std::size_t w = 0; w < places.size() && !any; ++w) any = inner(w);
  if (!any) return 0;
  const geometry::TriangleSurface surface = geometry::triangle_surface(mesh, welding);
  std::vector<std::array<Index, 3>> outer;
  for (const auto& t : surface.triangles)
    if (match.matched[t[0]] != 0 && match.matched[t[1]] != 0 && match.matched[t[2]] != 0) outer.push_back(t);
  if (outer.empty() || outer.size() == surface.triangles.size()) return 0;
  const geometry::RayScene scene(geometry::TriangleSoup{places, outer});
  std::vector<char> found(places.size(), 0);
  parallel_for(places.size(), [&](std::size_t w) {
    if (!inner(w)) return;
    const geometry::RayHit hit = scene.nearest_hit({places[w], -normals[w], 0, kThickestCloth * size});
    if (!hit) return;
    const auto& t = outer[hit.triangle];
    const Vec3 facing = (places[t[1]] - places[t[0]]).cross(places[t[2]] - places[t[0]]);
    if (!(facing.dot(normals[w]) < 0)) return;  // A layer behind faces the other way.
    int k = 0;
    hit.barycentric.maxCoeff(&k);
    match.row[w] = match.row[t[static_cast<std::size_t>(k)]];
    match.confidence[w] = match.confidence[t[static_cast<std::size_t>(k)]];
    found[w] = 1;
  });
  Index count = 0;
  for (std::size_t w = 0; w < found.size(); ++w)
    if (found[w] != 0) match.matched[w] = 1, ++count;
  return count;
}

}  // namespace

ClothMatch match_cloth(const ReferenceSurface& body, double body_size, const Mesh& cloth,
                       const geometry::Welding& welding) {
  const Index count = welding.count();
  const geometry::Components shells = geometry::components(cloth, &welding);
  const OpenShells opened = open_shells(cloth, welding, shells);
  const std::vector<char>& open = opened.open;
  const std::vector<Vec3> vertex_normals = geometry::vertex_normals(cloth, &welding);
  std::vector<Vec3> places, normals;
  for (const Index v : welding.first) places.push_back(cloth.positions[v]), normals.push_back(vertex_normals[v]);
  const std::vector<geometry::ClosestPoint> nearest = body.closest_points(places);
  const auto shell_of = [&](Index w) { return shells.of_vertex[welding.first[w]]; };
  std::vector<ClothProbe> probes(count), flipped(count);
  parallel_for(count, [&](std::size_t w) {
    probes[w] = probe(body, body_size, places[w], normals[w], nearest[w], opened.rim[w] != 0);
  });
  std::vector<Index> members(shells.count, 0), matches(shells.count, 0), flipped_matches(shells.count, 0);
  for (Index w = 0; w < count; ++w) {
    if (shell_of(w) == kNone) probes[w].matched = false;
    else ++members[shell_of(w)], matches[shell_of(w)] += probes[w].matched;
  }
  const auto tried = [&](Index w) {
    return open[w] != 0 && shell_of(w) != kNone && matches[shell_of(w)] < kFewMatch * members[shell_of(w)];
  };
  parallel_for(count, [&](std::size_t w) {
    if (tried(static_cast<Index>(w)))
      flipped[w] = probe(body, body_size, places[w], -normals[w], nearest[w], opened.rim[w] != 0);
  });
  for (Index w = 0; w < count; ++w)
    if (tried(w)) flipped_matches[shell_of(w)] += flipped[w].matched;
  ClothMatch match;
  match.row.resize(count), match.matched.resize(count), match.confidence.resize(count), match.distance.resize(count);
  for (Index w = 0; w < count; ++w) {
    if (!tried(w) || flipped_matches[shell_of(w)] <= matches[shell_of(w)]) continue;
    probes[w] = flipped[w];
    normals[w] = -normals[w];
    ++match.flipped;
  }
  parallel_for(count, [&](std::size_t w) {
    match.row[w] = body.row(probes[w].triangle, probes[w].barycentric);
    match.matched[w] = probes[w].matched ? 1 : 0;
    match.confidence[w] = static_cast<float>(std::clamp(1 - 0.5 * probes[w].doubt, 0.0, 1.0));
    match.distance[w] = nearest[w].distance;
  });
  match.inner = match_inner_layers(match, body_size, places, normals, open, cloth, welding);
  return match;
}

}  // namespace sinew::transfer
