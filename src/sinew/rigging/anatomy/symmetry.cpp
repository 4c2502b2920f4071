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

/// Vertices in cells as wide as the tolerance, sorted by cell.
class Cells {
 public:
  Cells(const std::vector<Vec3>& points, double width) : width_(width) {
    entries_.reserve(points.size());
    for (Index v = 0; v < points.size(); ++v) entries_.push_back({key(points[v] / width), v});
    std::sort(entries_.begin(), entries_.end());
  }

  template <class Visit>
  void near(const Vec3& p, Visit&& visit) const {
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          const Key at = key(p / width_ + Vec3(dx, dy, dz));
          for (auto e = std::lower_bound(entries_.begin(), entries_.end(), Entry{at, 0});
               e != entries_.end() && e->first == at; ++e)
            visit(e->second);
        }
  }

 private:
  using Key = std::array<std::int64_t, 3>;
  using Entry = std::pair<Key, Index>;

  static Key key(const Vec3& p) {
    return {static_cast<std::int64_t>(std::floor(p.x())), static_cast<std::int64_t>(std::floor(p.y())),
            static_cast<std::int64_t>(std::floor(p.z()))};
  }

  double width_;
  std::vector<Entry> entries_;
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
