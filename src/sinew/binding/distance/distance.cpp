// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/distance/distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/binding/heat/visibility.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/weld_within.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {
namespace {

constexpr double kFloorRel = 1e-3;
constexpr float kDistanceConfidence = 0.6F;  // It does not know what lies between a vertex and its bone.

// The four nearest joints, or fewer. A joint is as near as the nearest of its bones.
class FourNearest {
 public:
  void add(const JointDistance& item) {
    for (std::size_t i = 0; i < count_; ++i)
      if (items_[i].joint == item.joint) {
        if (!(item < items_[i])) return;
        std::copy(items_.begin() + i + 1, items_.begin() + count_, items_.begin() + i);
        --count_;
        break;
      }
    std::size_t at = count_;
    while (at > 0 && item < items_[at - 1]) --at;
    if (at == items_.size()) return;
    count_ = std::min(count_ + 1, items_.size());
    for (std::size_t i = count_ - 1; i > at; --i) items_[i] = items_[i - 1];
    items_[at] = item;
  }
  std::span<const JointDistance> items() const { return {items_.data(), count_}; }

 private:
  std::array<JointDistance, 4> items_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<JointRegion> joint_regions(const Mesh& mesh, const BoneTree& tree, const Subject& subject) {
  const geometry::RayScene scene(mesh);
  std::vector<Vec3> places;
  for (const Index joint : tree.joints) places.push_back(subject.position(joint));
  const auto closest = scene.closest_points(places);
  std::vector<JointRegion> regions;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double shortest = std::numeric_limits<double>::infinity();
    for (const Index b : tree.outgoing[tree.joints[i]]) shortest = std::min(shortest, tree.bones[b].length);
    if (const Index b = tree.incoming[tree.joints[i]]; b != kNone) shortest = std::min(shortest, tree.bones[b].length);
    regions.push_back({places[i], std::min(2 * closest[i].distance, 0.45 * shortest)});
  }
  return regions;
}

double region_fade(std::span<const JointRegion> regions, const Vec3& p) {
  double most = 0;
  for (const JointRegion& region : regions) {
    const double distance = (p - region.center).norm();
    if (distance < region.radius) most = std::max(most, 1 - distance / region.radius);
  }
  return most * most * (3 - 2 * most);
}

std::vector<Influence> distance_row(std::span<const JointDistance> nearest, double fade) {
  std::array<double, 4> term = {};
  for (std::size_t i = 0; i < std::min(nearest.size(), term.size()); ++i)
    term[i] = std::pow(nearest[0].distance / nearest[i].distance, 4);
  const double left_out = (1 - fade) * term[2] + fade * term[3];
  const std::array<double, 3> weight = {term[0] - left_out, term[1] - left_out, fade * (term[2] - term[3])};
  std::vector<Influence> row;
  const double sum = weight[0] + std::max(0.0, weight[1]) + weight[2];
  if (!(sum > 1e-12)) {  // All are equally near: no order is better than another.
    for (std::size_t i = 0; i < nearest.size() && nearest[i].distance == nearest[0].distance; ++i)
      row.push_back({nearest[i].joint, 1.0F});
    for (Influence& influence : row) influence.weight = 1.0F / static_cast<float>(row.size());
    return row;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(nearest.size(), 3); ++i)
    if (weight[i] > 0) row.push_back({nearest[i].joint, static_cast<float>(weight[i] / sum)});
  return row;
}

std::vector<Influence> published_distance_row(std::span<const JointDistance> nearest, std::size_t count) {
  std::vector<Influence> row;
  double sum = 0;
  count = std::min(count, nearest.size());
  const auto term = [&](std::size_t i) { return std::pow(nearest[0].distance / nearest[i].distance, 4); };
  for (std::size_t i = 0; i < count; ++i) sum += term(i);
  for (std::size_t i = 0; i < count; ++i) row.push_back({nearest[i].joint, static_cast<float>(term(i) / sum)});
  return row;
}

BindResult bind_by_distance(const Subject& subject, const DistanceOptions& options, const BindOptions& common,
                            const Progress& progress) {
  const Mesh& mesh = subject.mesh;
  const BoneTree tree = bones_to_bind(subject);
  for (const Vec3& p : mesh.positions)
    if (!p.allFinite())
      throw Error("The mesh has a vertex position that is not finite. Repair the mesh before you bind it.");
  const double size = mesh.positions.empty() ? 0 : mesh.size();
  // A mesh of one point has no size; its bones have.
  const double least = std::max(kFloorRel * size, std::numeric_limits<double>::min());
  progress.step("joint regions", 0);
  const bool paper = options.mode == DistanceRules::kPaper;
  std::vector<JointRegion> regions = joint_regions(mesh, tree, subject);
  if (paper)
    for (JointRegion& region : regions) region.radius = options.radius_rel * size;
  progress.step("distances", 0.2);
  std::vector<std::vector<Influence>> rows(mesh.positions.size());
  parallel_blocks(rows.size(), 1024, [&](std::size_t begin, std::size_t end) {
    progress.check();
    for (std::size_t v = begin; v < end; ++v) {
      FourNearest nearest;
      for (const Bone& bone : tree.bones)
        nearest.add(
            {std::max(competing_distance(bone, closest_on_bone(bone, mesh.positions[v]).distance), least), bone.joint});
      const double fade = region_fade(regions, mesh.positions[v]);
      rows[v] = paper ? published_distance_row(nearest.items(), fade > 0 ? 3 : 2) : distance_row(nearest.items(), fade);
      cap_row(rows[v], common.influence_limit());
    }
  });
  BindResult bound;
  bound.weights.reserve(rows.size(), 3 * rows.size());
  for (const auto& row : rows) bound.weights.add_row(row);
  if (common.smooth.value_or(0) > 0) {
    const geometry::Welding welding = geometry::weld_within(mesh, 1e-6 * size, true);
    SkinWeights welded;
    for (const Index v : welding.first) welded.add_row(bound.weights.row(v));
    bound.weights = smoothed_on_mesh(welded, geometry::one_rings(mesh, &welding), *common.smooth,
                                     common.influence_limit(), welding);
  }
  bound.origins = {{"distance", "requested"}};
  bound.origin.assign(rows.size(), 0);
  bound.confidence.assign(rows.size(), kDistanceConfidence);
  return bound;
}

BinderMethod distance_method() {
  return binder_method("distance", "bone-distance", "Uses the two or three nearest bones, by distance alone.",
                       bind_by_distance);
}

}  // namespace sinew::binding
