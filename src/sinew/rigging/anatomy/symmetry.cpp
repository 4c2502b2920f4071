// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/symmetry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "sinew/core/parallel.h"

namespace sinew::rigging {
namespace {

/// Vertices by the cell they lie in. Cells are twice as wide as the tolerance, so that what is within it of a point
/// lies in at most eight of them, and in two or three as a rule. (Sorted cells as wide as the tolerance, 27 of them
/// looked up by bisection, took 14 % of `rig` at 288,000 vertices.)
class Cells {
 public:
  Cells(const std::vector<Vec3>& points, double tolerance)
      : reach_(Vec3::Constant((1 + 1e-9) * tolerance)), width_(2 * tolerance) {
    std::size_t slots = 64;
    while (slots < points.size()) slots *= 2;
    mask_ = slots - 1;
    first_.assign(slots + 1, 0);
    std::vector<std::size_t> slot(points.size());
    parallel_for(points.size(), [&](std::size_t v) { slot[v] = slot_of(key(points[v])); });
    for (const std::size_t s : slot) ++first_[s + 1];
    for (std::size_t s = 0; s < slots; ++s) first_[s + 1] += first_[s];
    items_.resize(points.size());
    std::vector<Index> next(first_.begin(), first_.end() - 1);
    for (Index v = 0; v < points.size(); ++v) items_[next[slot[v]]++] = v;
  }

  /// All points within the tolerance of p, others too, and some of them more than once.
  template <class Visit>
  void near(const Vec3& p, Visit&& visit) const {
    const Key low = key(p - reach_), high = key(p + reach_);
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t z = low[2]; z <= high[2]; ++z) {
          const std::size_t slot = slot_of({x, y, z});
          for (Index i = first_[slot]; i < first_[slot + 1]; ++i) visit(items_[i]);
        }
  }

 private:
  using Key = std::array<std::int64_t, 3>;

  Key key(const Vec3& p) const {
    return {static_cast<std::int64_t>(std::floor(p.x() / width_)),
            static_cast<std::int64_t>(std::floor(p.y() / width_)),
            static_cast<std::int64_t>(std::floor(p.z() / width_))};
  }

  /// Cells that share a slot only cost time.
  std::size_t slot_of(const Key& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t k : cell) {
      hash = (hash ^ static_cast<std::uint64_t>(k)) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash) & mask_;
  }

  Vec3 reach_;
  double width_;
  std::size_t mask_ = 0;
  std::vector<Index> first_, items_;  // Per slot, and one more; vertices by slot.
};

Vec3 mirrored_point(const Vec3& p, const Vec3& point, const Vec3& normal) {
  return p - 2 * normal.dot(p - point) * normal;
}

}  // namespace

std::vector<Index> mirror_vertices(const Mesh& mesh, const Vec3& point, const Vec3& normal, double tolerance_rel) {
  std::vector<Index> images(mesh.positions.size(), kNone);
  const double tolerance = tolerance_rel * mesh.size();
  if (!(tolerance > 0)) return images;
  const Cells cells(mesh.positions, tolerance);
  parallel_for(mesh.positions.size(), [&](std::size_t v) {
    const Vec3 image = mirrored_point(mesh.positions[v], point, normal);
    double nearest = tolerance;
    cells.near(image, [&](Index u) {
      const double d = (mesh.positions[u] - image).norm();
      if (d < nearest || (d == nearest && (images[v] == kNone || u < images[v]))) nearest = d, images[v] = u;
    });
  });
  return images;
}

double mirrored_share(const std::vector<Index>& images) {
  if (images.empty()) return 0;
  const auto with = std::count_if(images.begin(), images.end(), [](Index i) { return i != kNone; });
  return static_cast<double>(with) / static_cast<double>(images.size());
}

bool is_symmetric_pose(const SkeletonPlan& plan, const MirrorPlane& plane) {
  if (plane.whole()) return true;
  constexpr double kAgree = 0.04;
  Box box;
  for (const PlannedJoint& joint : plan.joints) box.extend(joint.position);
  const double most = kAgree * box.extent().maxCoeff();
  return std::all_of(plan.joints.begin(), plan.joints.end(), [&](const PlannedJoint& joint) {
    const PlannedJoint& partner = joint.partner == kNone ? joint : plan.joints[joint.partner];
    return (joint.position - plane.mirrored(partner.position)).norm() <= (joint.partner == kNone ? 2 : 1) * most;
  });
}

void use_plane(SkeletonPlan& plan, const MirrorPlane& plane) {
  plan.mirror_point = plane.point;
  if (plan.left == plane.normal) return;
  plan.left = plane.normal;
  plan.forward = (plan.forward - plan.forward.dot(plan.left) * plan.left).normalized();
  plan.up = plan.forward.cross(plan.left);
}

void make_symmetric(SkeletonPlan& plan) {
  const auto image = [&](const Vec3& p) { return mirrored_point(p, plan.mirror_point, plan.left); };
  for (Index j = 0; j < plan.joints.size(); ++j) {
    PlannedJoint& joint = plan.joints[j];
    const Index partner = joint.partner == kNone ? j : joint.partner;
    if (partner < j) continue;
    PlannedJoint& other = plan.joints[partner];
    joint.position = 0.5 * (joint.position + image(other.position));
    other.position = image(joint.position);
    if (partner == j) joint.position = 0.5 * (joint.position + image(joint.position));
    if (joint.end && other.end) {
      joint.end = 0.5 * (*joint.end + image(*other.end));
      if (partner != j) other.end = image(*joint.end);
    }
    if (partner != j) other.bend_axis = -(joint.bend_axis - 2 * plan.left.dot(joint.bend_axis) * plan.left);
  }
}

}  // namespace sinew::rigging
