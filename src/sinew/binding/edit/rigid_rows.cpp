// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/rigid_rows.h"

#include <algorithm>
#include <optional>

#include "sinew/binding/auto/layers_rows.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {
namespace {

constexpr double kHoldReach = 0.01;  // Of the mesh size, beyond the nearest place.

/// The surface that holds things.
class HoldingSurface {
 public:
  HoldingSurface(const SkinWeights& weights, const Mesh& mesh, const std::vector<char>& carriers)
      : weights_(weights), mesh_(mesh), size_(mesh.size()) {
    for (const Triangle& t : triangulate(mesh))
      if (carriers[t.face] != 0) triangles_.push_back({t.vertices[0], t.vertices[1], t.vertices[2]});
    if (!triangles_.empty()) scene_.emplace(geometry::TriangleSoup{mesh.positions, triangles_});
  }

  /// The joint that holds some vertices; kNone without a surface.
  Index holder(const std::vector<Index>& vertices) const {
    if (!scene_) return kNone;
    std::vector<Vec3> places;
    for (const Index v : vertices) places.push_back(mesh_.positions[v]);
    const std::vector<geometry::ClosestPoint> found = scene_->closest_points(places);
    double nearest = std::numeric_limits<double>::infinity();
    for (const geometry::ClosestPoint& point : found) nearest = std::min(nearest, point.distance);
    RowSum sum;
    for (const geometry::ClosestPoint& point : found) {
      if (!point || point.distance > nearest + kHoldReach * size_) continue;
      for (std::size_t k = 0; k < 3; ++k)
        sum.add(weights_.row(triangles_[point.triangle][k]), point.barycentric[static_cast<int>(k)]);
    }
    return strongest_joint(sum.take());
  }

 private:
  const SkinWeights& weights_;
  const Mesh& mesh_;
  double size_;
  std::vector<geometry::TriangleVertices> triangles_;
  std::optional<geometry::RayScene> scene_;
};

}  // namespace

SkinWeights rigid_rows(const SkinWeights& weights, const Mesh& mesh, const std::vector<RigidGroup>& groups,
                       const std::vector<char>& carriers, int most) {
  std::vector<Index> group_of(weights.row_count(), kNone);
  std::vector<WeightRow> rows(groups.size());
  std::optional<HoldingSurface> surface;
  for (Index g = 0; g < groups.size(); ++g) {
    if (groups[g].held && !surface) surface.emplace(weights, mesh, carriers);
    const Index joint = groups[g].held ? surface->holder(groups[g].vertices) : kNone;
    if (joint != kNone) {
      rows[g] = {{joint, 1.0F}};
    } else {
      RowSum sum;
      for (const Index v : groups[g].vertices) sum.add(weights.row(v), 1);
      rows[g] = sum.take();
      cap_row(rows[g], most);
    }
    for (const Index v : groups[g].vertices) group_of[v] = g;
  }
  SkinWeights result;
  for (Index v = 0; v < weights.row_count(); ++v) {
    const bool grouped = group_of[v] != kNone && !rows[group_of[v]].empty();
    if (grouped) result.add_row(rows[group_of[v]]);
    else result.add_row(weights.row(v));
  }
  return result;
}

}  // namespace sinew::binding
