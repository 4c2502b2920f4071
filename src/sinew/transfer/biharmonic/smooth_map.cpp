// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/smooth_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/transfer/surface/reference_surface.h"
#include "sinew/transfer/warp/warped_mesh.h"

namespace sinew::transfer {
namespace {

/// How far displacements are averaged, in shares of the target's size.
constexpr std::array kReaches = {0.02, 0.01, 0.005};
constexpr int kMostRounds = 200, kLayerRounds = 3;
constexpr double kLeastTrust = 0.02, kFacing_rad = radians(60), kNear_rel = 0.02;

double mean_edge(const std::vector<Vec3>& places, const geometry::Lists& rings) {
  double sum = 0, count = 0;
  for (Index w = 0; w < rings.size(); ++w)
    for (const Index next : rings[w]) sum += (places[next] - places[w]).norm(), count += 1;
  return count > 0 ? sum / count : 0;
}

// Averages along the surface: each vertex moves half-way to the mean of its ring, where trusted neighbours count more.
void average(std::vector<Vec3>& displacements, const std::vector<double>& trust, const geometry::Lists& rings,
             int rounds) {
  std::vector<Vec3> next(displacements.size());
  for (int round = 0; round < rounds; ++round) {
    parallel_for(displacements.size(), [&](std::size_t w) {
      const double own = kLeastTrust + trust[w];
      Vec3 sum = own * displacements[w];
      double all = own, around = 0;
      Vec3 ring = Vec3::Zero();
      for (const Index n : rings[static_cast<Index>(w)]) {
        const double share = kLeastTrust + trust[n];
        ring += share * displacements[n], around += share;
      }
      if (around > 0) {
        const double mean_share = around / static_cast<double>(rings[static_cast<Index>(w)].size());
        sum += mean_share * (ring / around), all += mean_share;
      }
      next[w] = sum / all;
    });
    displacements.swap(next);
  }
}

/// The target's welded vertices with what the rough map says of them.
struct Displaced {
  std::vector<Vec3> places, normals, displacements;
  std::vector<double> trust;
  std::vector<Index> layer;  // The connected surface of the reference that a vertex belongs to; kNone for any.
};

// The layer that most of a vertex and its neighbours have; the lower one of two.
void agree_on_layers(std::vector<Index>& layer, const geometry::Lists& rings) {
  std::vector<Index> next(layer.size());
  for (int round = 0; round < kLayerRounds; ++round) {
    parallel_for(layer.size(), [&](std::size_t w) {
      std::map<Index, int> votes;
      votes[layer[w]] = 2;
      for (const Index n : rings[static_cast<Index>(w)]) ++votes[layer[n]];
      next[w] = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
                  return a.second < b.second;
                })->first;
    });
    layer.swap(next);
  }
}

/// The deformed reference, whose connected surfaces can be searched one by one: where cloth lies on skin, or lips on
/// teeth, the nearest point of all may belong to another layer.
class Layers {
 public:
  Layers(const Reference& reference, std::vector<Index> of_vertex)
      : surface(reference), positions_(reference.mesh.positions), of_vertex_(std::move(of_vertex)) {}

  std::vector<geometry::ClosestPoint> closest_points(const std::vector<Vec3>& places,
                                                     const std::vector<Index>& layer) const {
    std::map<Index, std::vector<Index>> triangles, members;
    for (Index w = 0; w < layer.size(); ++w) members[layer[w]].push_back(w);
    for (Index t = 0; t < surface.triangles().size(); ++t) {
      const Index own = of_vertex_[surface.triangles()[t][0]];
      if (members.contains(own)) triangles[own].push_back(t);
    }
    std::vector<geometry::ClosestPoint> result(places.size());
    for (const auto& [which, vertices] : members) {
      std::vector<Vec3> here;
      for (const Index w : vertices) here.push_back(places[w]);
      const auto own = triangles.find(which);
      std::vector<geometry::ClosestPoint> found;
      if (which == kNone || own == triangles.end()) {
        found = surface.closest_points(here);
      } else {
        std::vector<geometry::TriangleVertices> corners;
        for (const Index t : own->second) corners.push_back(surface.triangles()[t]);
        found = geometry::RayScene(geometry::TriangleSoup{positions_, corners}).closest_points(here);
        for (geometry::ClosestPoint& point : found) point.triangle = own->second[point.triangle];
      }
      for (std::size_t i = 0; i < vertices.size(); ++i) result[vertices[i]] = found[i];
    }
    return result;
  }

  ReferenceSurface surface;

 private:
  const std::vector<Vec3>& positions_;
  std::vector<Index> of_vertex_;
};

Displaced displaced(const Mesh& warped, const std::vector<Index>& layer_of, const Mesh& mesh,
                    const geometry::Welding& welding, const MainShell& shell, const RoughMap& rough) {
  Displaced result;
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &welding);
  std::vector<Vec3> outside;
  std::vector<Index> others;
  for (Index w = 0; w < welding.count(); ++w) {
    const Index v = welding.first[w], s = shell.of_vertex[v];
    result.places.push_back(mesh.positions[v]), result.normals.push_back(normals[v]);
    Vec3 sum = Vec3::Zero();
    double all = 0;
    if (s != kNone)
      for (const auto& [donor, share] : rough.donors[s]) sum += share * warped.positions[donor], all += share;
    result.displacements.push_back(all > 0 ? Vec3(sum / all - mesh.positions[v]) : Vec3(Vec3::Zero()));
    result.trust.push_back(all > 0 ? rough.trust[s] : 0);
    result.layer.push_back(all > 0 ? layer_of[rough.donors[s].front().first] : kNone);
    if (s == kNone) others.push_back(w), outside.push_back(mesh.positions[v]);
  }
  if (others.empty()) return result;
  const geometry::RayScene scene(geometry::TriangleSoup{shell.surface.positions, shell.surface.triangles});
  const std::vector<geometry::ClosestPoint> nearest = scene.closest_points(outside);
  for (std::size_t i = 0; i < others.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      const Index s = shell.surface.triangles[nearest[i].triangle][static_cast<std::size_t>(k)];
      result.displacements[others[i]] +=
          nearest[i].barycentric[k] * result.displacements[welding.welded[shell.vertex[s]]];
    }
  return result;
}

}  // namespace

SmoothMap smooth_map(const Reference& reference, const TransferBody& target, const Correspondence& correspondence,
                     const MainShell& shell, const RoughMap& rough, const Progress& progress) {
  const Mesh& mesh = target.mesh;
  const Mesh warped = warped_mesh(reference, target, correspondence);
  const Reference bent{{warped, reference.skeleton, reference.joints}, reference.weights};
  const geometry::Welding own_welding = geometry::weld(reference.mesh), welding = geometry::weld(mesh);
  const std::vector<Index> layer_of = geometry::components(reference.mesh, &own_welding).of_vertex;
  const Layers layers(bent, layer_of);
  const ReferenceSurface& surface = layers.surface;
  const geometry::Lists rings = geometry::one_rings(mesh, &welding);
  Displaced d = displaced(warped, layer_of, mesh, welding, shell, rough);
  agree_on_layers(d.layer, rings);
  const double size = mesh.size(), edge = mean_edge(d.places, rings);
  std::vector<geometry::ClosestPoint> points;
  std::vector<char> near(d.places.size(), 0);
  for (const double reach : kReaches) {
    progress.check();
    const double edges = edge > 0 ? reach * size / edge : 1;
    average(d.displacements, d.trust, rings, std::clamp(static_cast<int>(std::ceil(edges * edges)), 1, kMostRounds));
    std::vector<Vec3> places = d.places;
    for (std::size_t w = 0; w < places.size(); ++w) places[w] += d.displacements[w];
    points = layers.closest_points(places, d.layer);
    for (std::size_t w = 0; w < places.size(); ++w) {
      const Vec3 normal = surface.normal(points[w].triangle, points[w].barycentric);
      near[w] = points[w].distance <= kNear_rel * size && angle_between(normal, d.normals[w]) <= kFacing_rad ? 1 : 0;
      d.trust[w] = near[w] != 0 ? 1 : 0;
      if (near[w] != 0) d.displacements[w] = points[w].point - d.places[w];
    }
  }
  SmoothMap result;
  result.row.resize(mesh.positions.size());
  result.found.assign(mesh.positions.size(), 0);
  parallel_for(mesh.positions.size(), [&](std::size_t v) {
    const Index w = welding.welded[v];
    result.row[v] = surface.row(points[w].triangle, points[w].barycentric);
    result.found[v] = near[w];
  });
  return result;
}

}  // namespace sinew::transfer
