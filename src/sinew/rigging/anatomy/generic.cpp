// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/generic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/geometry/voxels/voxel_distances_seeds.h"
#include "sinew/rigging/anatomy/branches.h"

namespace sinew::rigging {
namespace {

constexpr double kNearlyLargest = 0.85;  // Spheres and depths that could be the root's, of the largest.
constexpr double kGenericDiameters = 1.2;
constexpr double kMostBetween = 6;   // Joints between two junctions.
constexpr double kBeyondRoot = 1.4;  // Tips are so many depths of the root away from it, at least.
constexpr double kAtRoot = 2;        // What leaves within so many depths of the root leaves at the root.
constexpr double kLimbLike = 0.6;    // A middle shorter than this share of the distance it spans is no line.

Vec3 middle_of_spheres(const SphereGraph& graph) {
  Index best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index u = 0; u < graph.size(); ++u) {
    if (graph.spheres[u].radius < kNearlyLargest * graph.spheres.front().radius) break;
    double sum = 0;
    for (Index v = 0; v < graph.size(); ++v)
      if (std::isfinite(graph.way(u, v))) sum += static_cast<double>(graph.way(u, v));
    if (sum > 0 && sum < least) {
      least = sum;
      best = u;
    }
  }
  return graph.spheres[best].center;
}

Vec3 middle_of_depths(const Interior& interior) {
  const geometry::SolidVoxels& voxels = interior.voxels;
  double deepest = 0;
  for (const Index v : voxels.solid) deepest = std::max(deepest, -static_cast<double>(interior.depth.values[v]));
  Vec3 sum = Vec3::Zero();
  double count = 0;
  std::vector<Index> deep;
  for (const Index v : voxels.solid) {
    if (-static_cast<double>(interior.depth.values[v]) < kNearlyLargest * deepest) continue;
    deep.push_back(v);
    sum += voxels.center(v);
    ++count;
  }
  const Vec3 mean = sum / count;
  return voxels.center(*std::min_element(deep.begin(), deep.end(), [&](Index a, Index b) {
    const double da = (voxels.center(a) - mean).squaredNorm(), db = (voxels.center(b) - mean).squaredNorm();
    return da != db ? da < db : a < b;
  }));
}

// A branch laid out as joints.
struct Limb {
  BranchLine line;
  double first = 0, top = 0;   // Distances from the root at its ends.
  std::vector<double> places;  // Of its joints along the line,
  std::vector<Index> joints;   // and these in the plan.

  double along(double distance) const {
    return top > first ? line.length * std::clamp((distance - first) / (top - first), 0.0, 1.0) : 0;
  }
};

class GenericPlanner {
 public:
  GenericPlanner(const Interior& interior, const GenericOptions& options)
      : interior_(interior),
        options_(options),
        distances_(interior.voxels, nullptr, geometry::VoxelMetric::kMarching) {}

  SkeletonPlan plan(const Vec3& middle) {
    const geometry::SolidVoxels& voxels = interior_.voxels;
    std::vector<Index> all(voxels.solid.size());
    for (Index i = 0; i < all.size(); ++i) all[i] = i;
    root_ = geometry::NearestVoxel(voxels, all).find((middle - voxels.origin) / voxels.cell).solid;
    geometry::VoxelField field;
    const geometry::VoxelSeed seed{root_, 0, 0};
    distances_.search(std::span(&seed, 1), field);
    cut(field);
    plan_.template_name = "generic";
    PlannedJoint root;
    root.name = "Root";
    root.role = "root";
    root.position = interior_.to_model(voxels.center(voxels.solid[root_]));
    root.origin = "derived";
    plan_.joints.push_back(root);
    for (Index i = 0; i < limbs_.size(); ++i) lay(i);
    for (Index i = 0; i < limbs_.size(); ++i) add(i);
    if (limbs_.empty()) plan_.joints.front().end = farthest(field);
    return plan_;
  }

 private:
  void cut(const geometry::VoxelField& field) {
    const geometry::SolidVoxels& voxels = interior_.voxels;
    const double ball = -static_cast<double>(interior_.depth.values[voxels.solid[root_]]);
    std::vector<std::uint8_t> taken(voxels.solid.size());
    for (Index v = 0; v < taken.size(); ++v)
      taken[v] = voxels.cell * static_cast<double>(field.distance[v]) > ball ? 1 : 0;
    const std::vector<Branch> found = branches(distances_, interior_.depth, field.distance, taken,
                                               {options_.least_length, options_.least_ratio, 1.5});
    std::vector<Index> as(found.size(), kNone);
    for (Index i = 0; i < found.size() && limbs_.size() < static_cast<std::size_t>(options_.most_limbs); ++i) {
      const Branch& branch = found[i];
      if (branch.slices.size() < 2 || branch.top < kBeyondRoot * ball) continue;
      Limb limb = limb_of(branch, first_slice(found, i, kAtRoot * ball));
      // What is thick beyond a waist, such as an abdomen with a sting, is no body that the limb leaves.
      if (!is_limb(limb) && branch.parent != kNone) limb = limb_of(branch, 0);
      if (!is_limb(limb)) continue;
      as[i] = static_cast<Index>(limbs_.size());
      limbs_.push_back(std::move(limb));
      foot_.push_back(branch.foot);
      stem_.push_back(branch.parent == kNone || branch.foot <= kAtRoot * ball ? kNone : as[branch.parent]);
    }
    ball_ = ball;
  }

  Limb limb_of(const Branch& branch, std::size_t first) const {
    Limb limb;
    limb.first = branch.slices[first].d;
    limb.top = branch.top;
    limb.line = branch_line(interior_.voxels, interior_.depth, branch, first, 2 * interior_.voxels.cell);
    return limb;
  }

  bool is_limb(const Limb& limb) const {
    return limb.line.length >= kLimbLike * (limb.top - limb.first) && limb.line.length >= options_.least_length;
  }

  // What others join begins before them, but not where it is still one with what leaves at the root.
  static std::size_t first_slice(const std::vector<Branch>& all, Index i, double at_root) {
    const Branch& branch = all[i];
    std::size_t first = branch.parent == kNone || branch.foot <= at_root ? branch_root(branch) : 0;
    for (const Branch& other : all)
      while (other.parent == i && other.foot > at_root && first > 0 && branch.slices[first].d > other.foot) --first;
    for (const Branch& other : all)
      while (other.parent == i && other.foot <= at_root && first + 2 < branch.slices.size() &&
             branch.slices[first].d < other.foot)
        ++first;
    return first;
  }

  // Where the joints of a limb are: junctions, and evenly between.
  void lay(Index i) {
    Limb& limb = limbs_[i];
    std::vector<double> keys = {0};
    std::vector<double> forks;
    for (Index c = 0; c < limbs_.size(); ++c)
      if (stem_[c] == i) forks.push_back(limb.along(foot_[c]));
    std::sort(forks.begin(), forks.end());
    for (const double s : forks) {
      // A little before the fork, where the limbs are one.
      const double width = limb.line.width(s);
      const double key = std::max(0.0, s - 0.5 * width);
      if (key - keys.back() > std::max(width, 2 * kLimbLike * interior_.voxels.cell)) keys.push_back(key);
    }
    keys.push_back(limb.line.length);
    for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
      const double length = keys[k + 1] - keys[k];
      double width = 0;
      for (const double t : {0.1, 0.3, 0.5, 0.7, 0.9}) width += 0.2 * limb.line.width(keys[k] + t * length);
      width = std::max(width, interior_.voxels.cell);
      const double count = std::clamp(std::round(length / (2 * kGenericDiameters * width)), 1.0, kMostBetween);
      for (double n = 0; n < count; ++n) limb.places.push_back(keys[k] + length * n / count);
    }
  }

  // The joint a limb hangs on: the last of its stem at or before where it leaves.
  Index parent_of(Index i) const {
    if (stem_[i] == kNone) return 0;
    const Limb& stem = limbs_[stem_[i]];
    const double s = stem.along(foot_[i]);
    std::size_t k = 0;
    while (k + 1 < stem.places.size() && stem.places[k + 1] <= s) ++k;
    return stem.joints[k];
  }

  void add(Index i) {
    Limb& limb = limbs_[i];
    Index parent = parent_of(i);
    int number = 0;
    for (std::size_t k = 0; k < limb.places.size(); ++k) {
      const Vec3 place = interior_.to_unit(plan_.joints.front().position);
      if (k + 1 < limb.places.size() && (limb.line.at(limb.places[k]) - place).norm() < 0.5 * ball_) {
        limb.joints.push_back(0);  // The root is there already.
        continue;
      }
      PlannedJoint joint;
      joint.name = fmt::format("Limb{}_{}", i + 1, ++number);
      joint.parent = parent;
      joint.position = inside(limb.line.at(limb.places[k]));
      joint.origin = "extra";
      joint.confidence = 0.5;
      if (k + 1 == limb.places.size()) joint.end = interior_.to_model(limb.line.points.back());
      plan_.joints.push_back(std::move(joint));
      parent = static_cast<Index>(plan_.joints.size() - 1);
      limb.joints.push_back(parent);
    }
  }

  // In model space; a point between two slices of a sharp bend may lie outside and is moved to the nearest solid voxel.
  Vec3 inside(const Vec3& p) const {
    const geometry::SolidVoxels& voxels = interior_.voxels;
    if (geometry::sample(interior_.depth, p) < 0) return interior_.to_model(p);
    std::vector<Index> all(voxels.solid.size());
    for (Index i = 0; i < all.size(); ++i) all[i] = i;
    const Index nearest = geometry::NearestVoxel(voxels, all).find((p - voxels.origin) / voxels.cell).solid;
    return interior_.to_model(voxels.center(voxels.solid[nearest]));
  }

  Vec3 farthest(const geometry::VoxelField& field) const {
    Index best = root_;
    for (Index v = 0; v < field.distance.size(); ++v)
      if (std::isfinite(field.distance[v]) && field.distance[v] > field.distance[best]) best = v;
    return interior_.to_model(interior_.voxels.center(interior_.voxels.solid[best]));
  }

  const Interior& interior_;
  GenericOptions options_;
  geometry::VoxelDistances distances_;
  Index root_ = kNone;
  double ball_ = 0;           // Depth at the root.
  std::vector<Limb> limbs_;   // Stems before what grows from them.
  std::vector<double> foot_;  // Per limb: the distance at which it leaves its stem.
  std::vector<Index> stem_;
  SkeletonPlan plan_;
};

}  // namespace

SkeletonPlan generic_plan(const Interior& interior, const SphereGraph& graph, const GenericOptions& options) {
  const Vec3 middle = graph.spheres.empty() ? middle_of_depths(interior) : middle_of_spheres(graph);
  return GenericPlanner(interior, options).plan(middle);
}

}  // namespace sinew::rigging
