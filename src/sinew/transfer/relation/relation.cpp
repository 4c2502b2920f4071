// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/relation/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::transfer {
namespace {

constexpr Index kSamples = 2000;
constexpr double kSamePosition = 1e-6;
constexpr double kUpdateShare = 0.3, kFewerVertices = 0.7;
/// What an edit moved is near where it was. Where far more is far away, such as arms in another pose, the joints moved.
constexpr double kEditFar = 0.05, kNearlyAll = 0.85;
/// Levels of detail cut corners off, so that one side may be farther.
constexpr double kOnSurface = 0.001, kNearSurface = 0.006;
constexpr double kGarmentMedian = 0.05, kGarmentFar = 0.15;
/// A body in the same pose covers the whole reference, clothes leave hands, head or feet free. A suit that leaves
/// little free must be as near as cloth is.
constexpr double kUncovered = 0.1, kTight = 0.012, kSuitUncovered = 0.02;
/// Clothes are outside. Another body of the same pose is half inside.
constexpr double kOutside = 0.7, kSuitOutside = 0.8, kSunk = 0.002;
/// Shells below this share of the body's size are pieces, such as buttons. They may have this share of the area.
constexpr double kPiece = 0.06, kMostPieces = 0.5;

/// Distances of some vertices of one mesh from the other, increasing.
struct SampledDistances {
  std::vector<double> sorted;
  double outside = 0;  // Share of the vertices that are not inside the other, by the facing of its nearest face.
};

SampledDistances sampled_distances(const std::vector<Vec3>& from, const Mesh& to, double size) {
  const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(to);
  const geometry::RayScene scene(geometry::TriangleSoup{to.positions, triangles});
  std::vector<Vec3> places;
  const std::size_t step = std::max<std::size_t>(1, from.size() / kSamples);
  for (std::size_t v = 0; v < from.size(); v += step) places.push_back(from[v]);
  const std::vector<geometry::ClosestPoint> points = scene.closest_points(places);
  SampledDistances result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& t = triangles[points[i].triangle];
    const Vec3 facing = (to.positions[t[1]] - to.positions[t[0]]).cross(to.positions[t[2]] - to.positions[t[0]]);
    const bool inside = points[i].distance > kSunk * size && facing.dot(places[i] - points[i].point) < 0;
    result.outside += inside ? 0 : 1 / static_cast<double>(points.size());
    result.sorted.push_back(points[i].distance);
  }
  std::sort(result.sorted.begin(), result.sorted.end());
  return result;
}

// The vertices of shells that are no pieces. Empty if there is no piece, or if pieces have most of the area.
std::vector<Vec3> without_pieces(const Mesh& mesh, double body_size) {
  const geometry::Welding welding = geometry::weld(mesh);
  const geometry::Components shells = geometry::components(mesh, &welding);
  std::vector<Box> boxes(shells.count);
  std::vector<double> areas(shells.count, 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (shells.of_vertex[v] != kNone) boxes[shells.of_vertex[v]].extend(mesh.positions[v]);
  for (const auto& t : geometry::triangle_vertices(mesh)) {
    const Vec3& a = mesh.positions[t[0]];
    areas[shells.of_vertex[t[0]]] += (mesh.positions[t[1]] - a).cross(mesh.positions[t[2]] - a).norm();
  }
  double all = 0, pieces = 0;
  std::vector<char> piece(shells.count, 0);
  for (Index s = 0; s < shells.count; ++s) {
    piece[s] = boxes[s].diagonal() < kPiece * body_size ? 1 : 0;
    all += areas[s], pieces += piece[s] != 0 ? areas[s] : 0;
  }
  std::vector<Vec3> rest;
  if (std::find(piece.begin(), piece.end(), 1) == piece.end() || !(pieces < kMostPieces * all)) return rest;
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (shells.of_vertex[v] != kNone && piece[shells.of_vertex[v]] == 0) rest.push_back(mesh.positions[v]);
  return rest;
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile_of(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void conclude(Relation& r, bool same_surface, bool fewer_vertices) {
  const auto percent = [](double x) { return fmt::format("{:.1f} %", 100 * x); };
  const bool edited = r.same_vertices >= kNearlyAll || (r.same_vertices >= kUpdateShare && r.far_distance <= kEditFar);
  const bool near = r.median_distance <= kGarmentMedian && r.far_distance <= kGarmentFar && r.outside >= kOutside;
  if (edited && !(same_surface && fewer_vertices)) {
    r.kind = RelationKind::kUpdate;
    r.reason = fmt::format("{} of the target's vertices are at positions of the reference's vertices.",
                           percent(r.same_vertices));
  } else if (same_surface) {
    r.kind = RelationKind::kDetail;
    r.reason = fmt::format("Both surfaces are the same within {} of the size on average.",
                           percent(std::max(r.mean_distance, r.distance_back)));
  } else if (near && (r.covered <= 1 - kUncovered ||
                      (r.covered <= 1 - kSuitUncovered && r.mean_distance <= kTight && r.outside >= kSuitOutside))) {
    r.kind = RelationKind::kGarment;
    r.reason = fmt::format(
        "Half of the target is within {} of the size from the reference's surface, and it covers {} of the reference.",
        percent(r.median_distance), percent(r.covered));
  } else {
    r.kind = RelationKind::kBody;
    r.reason = r.median_distance > kGarmentMedian || r.far_distance > kGarmentFar
                   ? fmt::format(
                         "The surfaces are apart: half of the target is farther than {} of the size from the "
                         "reference.",
                         percent(r.median_distance))
                   : fmt::format(
                         "The target covers {} of the reference at a mean distance of {} of the size, as "
                         "another body does.",
                         percent(r.covered), percent(r.mean_distance));
  }
}

// Judges by the distances of the target and of the reference, `back`, from each other's surface.
void conclude_from(Relation& result, const SampledDistances& outward, const std::vector<double>& back,
                   const Mesh& reference, const Mesh& target) {
  const double size = reference.size();
  result.outside = outward.outside;
  result.mean_distance = mean_of(outward.sorted) / size;
  result.median_distance = quantile_of(outward.sorted, 0.5) / size;
  result.far_distance = quantile_of(outward.sorted, 0.9) / size;
  const double near = std::max(0.02, 2 * result.median_distance) * size;
  result.covered = static_cast<double>(std::upper_bound(back.begin(), back.end(), near) - back.begin()) /
                   static_cast<double>(back.size());
  const bool same_surface = std::abs(target.size() - size) <= 0.02 * size &&
                            std::min(result.mean_distance, result.distance_back) < kOnSurface &&
                            std::max(result.mean_distance, result.distance_back) < kNearSurface;
  conclude(result, same_surface, target.vertex_count() < kFewerVertices * reference.vertex_count());
}

}  // namespace

const char* relation_name(RelationKind kind) {
  constexpr std::array kNames = {"update", "detail", "garment", "body"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json Relation::to_json() const {
  return {{"kind", relation_name(kind)},
          {"same_vertices", same_vertices},
          {"mean_distance_rel", mean_distance},
          {"median_distance_rel", median_distance},
          {"far_distance_rel", far_distance},
          {"covered", covered},
          {"outside", outside},
          {"distance_back_rel", distance_back},
          {"reason", reason}};
}

Relation relate(const Mesh& reference, const Mesh& target) {
  Relation result;
  const double size = reference.size();
  if (!(size > 0) || reference.face_count() == 0 || target.face_count() == 0) {
    result.reason = "One of the meshes has no extent.";
    return result;
  }
  const std::vector<Index> same = same_vertices(reference, target);
  result.same_vertices =
      static_cast<double>(same.size() - static_cast<std::size_t>(std::count(same.begin(), same.end(), kNone))) /
      static_cast<double>(std::max<std::size_t>(1, same.size()));
  const std::vector<double> back = sampled_distances(reference.positions, target, size).sorted;
  result.distance_back = mean_of(back) / size;
  conclude_from(result, sampled_distances(target.positions, reference, size), back, reference, target);
  if (result.kind != RelationKind::kBody) return result;
  // Buttons and buckles that hang far away do not make a body of a garment, however many vertices they have.
  const std::vector<Vec3> rest = without_pieces(target, size);
  if (rest.empty()) return result;
  Relation large = result;
  conclude_from(large, sampled_distances(rest, reference, size), back, reference, target);
  if (large.kind != RelationKind::kGarment) return result;
  large.reason += " Small separate pieces are farther away and were not counted.";
  return large;
}

std::vector<Index> same_vertices(const Mesh& reference, const Mesh& target) {
  const double reach = kSamePosition * reference.size();
  std::vector<Index> order(reference.vertex_count());
  std::iota(order.begin(), order.end(), Index{0});
  const auto x_of = [&](Index v) { return reference.positions[v].x(); };
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return x_of(a) != x_of(b) ? x_of(a) < x_of(b) : a < b; });
  const geometry::Welding ours = geometry::weld(reference), theirs = geometry::weld(target);
  const std::vector<Vec3> our_normals = geometry::vertex_normals(reference, &ours);
  const std::vector<Vec3> their_normals = geometry::vertex_normals(target, &theirs);
  std::vector<Index> same(target.vertex_count(), kNone);
  parallel_for(same.size(), [&](std::size_t v) {
    const Vec3& place = target.positions[v];
    auto at =
        std::lower_bound(order.begin(), order.end(), place.x() - reach, [&](Index a, double x) { return x_of(a) < x; });
    double best = -2;
    for (; at != order.end() && x_of(*at) <= place.x() + reach; ++at) {
      if ((reference.positions[*at] - place).norm() > reach) continue;
      // Rounded, so that copies of one vertex are equally good.
      const double alike = std::round(1e6 * our_normals[*at].dot(their_normals[v])) * 1e-6;
      const bool better = alike > best || (alike == best && same[v] != v && (*at == v || *at < same[v]));
      if (better) best = alike, same[v] = *at;
    }
  });
  return same;
}

}  // namespace sinew::transfer
