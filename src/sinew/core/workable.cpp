// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/workable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

std::optional<Finding> bad_extent(const Box& box) {
  const double largest = std::max(box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff());
  if (!(largest <= kLargestCoordinate))
    return Finding{"mesh.too_large", "",
                   fmt::format("The mesh has a coordinate of {:.3g}; methods work up to {:g}. Scale or mend the mesh.",
                               largest, kLargestCoordinate)};
  const double size = box.diagonal();
  if (!(size >= kSmallestSize))
    return Finding{"mesh.too_small", "",
                   size == 0 ? std::string("All vertices of the mesh are at the same place.")
                             : fmt::format("The mesh is only {:.3g} large; methods work from {:g}. Scale the mesh.",
                                           size, kSmallestSize)};
  return std::nullopt;
}

bool has_area(const Mesh& mesh) {
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t i = 2; i < face.size(); ++i) {
      const Vec3& origin = mesh.positions[face[0]];
      const Vec3 a = mesh.positions[face[i - 1]] - origin, b = mesh.positions[face[i]] - origin;
      const double reach = a.norm() * b.norm();
      if (reach > 0 && a.cross(b).norm() > 1e-9 * reach) return true;
    }
  }
  return false;
}

std::optional<Finding> far_joint(const Rig& rig, const Box& box) {
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  const double size = box.diagonal();
  for (std::size_t j = 0; j < frames.size(); ++j) {
    const Vec3 at = frames[j].topRightCorner<3, 1>();
    const double away = (at - at.cwiseMax(box.lower).cwiseMin(box.upper)).norm() / size;
    if (!(away <= kFarthestJoint))
      return Finding{"skeleton.too_far", rig.skeleton.joints[j].name,
                     fmt::format("The joint is {:.3g} sizes of the mesh away from it; methods work up to {:g}. The "
                                 "skeleton may be in another unit.",
                                 away, kFarthestJoint)};
  }
  return std::nullopt;
}

std::optional<Finding> far_bind(const Rig& rig, const Box& box) {
  const double size = box.diagonal();
  for (std::size_t s = 0; s < rig.skins.size(); ++s) {
    const auto missing = [&](Index j) { return j >= rig.skeleton.size(); };
    if (std::any_of(rig.skins[s].joints.begin(), rig.skins[s].joints.end(), missing))
      return Finding{"rig.skin_joint", rig.skins[s].name, "The skin refers to a joint that does not exist."};
    const std::vector<Mat4> frames = bind_pose_matrices(rig, static_cast<Index>(s));
    for (const MeshPart& part : rig.mesh.parts) {
      if (part.skin != s) continue;
      for (const Index j : rig.skins[s].joints) {
        const Vec3 at = transform_point(part.to_model, frames[j].topRightCorner<3, 1>());
        const double away = (at - at.cwiseMax(box.lower).cwiseMin(box.upper)).norm() / size;
        if (away <= kFarthestJoint) continue;
        return Finding{"skeleton.too_far", rig.skeleton.joints[j].name,
                       fmt::format("When the skin was bound, the joint was {:.3g} sizes of the mesh away from it; "
                                   "methods work up to {:g}. Its bind matrix may be wrong.",
                                   away, kFarthestJoint)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> unworkable(const Rig& rig) {
  if (rig.mesh.positions.empty()) return std::nullopt;
  const Box box = rig.mesh.bounds();
  if (auto found = bad_extent(box)) return found;
  if (rig.mesh.face_count() > 0 && !has_area(rig.mesh))
    return Finding{"mesh.no_area", "", "All faces of the mesh are degenerate: none has an area."};
  if (auto found = far_joint(rig, box)) return found;
  return far_bind(rig, box);
}

void require_workable(const Rig& rig) {
  const std::optional<Finding> found = unworkable(rig);
  if (!found) return;
  throw Error(found->where.empty() ? found->text : fmt::format("'{}': {}", found->where, found->text));
}

}  // namespace sinew
