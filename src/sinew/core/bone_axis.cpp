// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/bone_axis.h"

namespace sinew {
namespace {

// Local = T·R·S·shear, so a point of the joint's frame is scaled before it is turned.
Vec3 in_turning_frame(const Joint& joint, const Vec3& point) {
  return joint.rest.scale.cwiseProduct(joint.shear * point);
}

// Shorter bones than this have no direction worth the name: it is the rounding of a float coordinate.
bool has_direction(const Vec3& v) { return v.allFinite() && v.norm() > 1e-9; }

Vec3 axis_of(const Skeleton& skeleton, Index joint, const std::vector<Index>& children) {
  const Joint& self = skeleton.joints[joint];
  for (const bool deforming : {true, false})
    for (const Index child : children) {
      if (deforming && !skeleton.joints[child].deforming) continue;
      const Vec3 bone = in_turning_frame(self, skeleton.joints[child].rest.translation);
      if (has_direction(bone)) return bone.normalized();
    }
  if (self.end_local) {
    const Vec3 bone = in_turning_frame(self, *self.end_local);
    if (has_direction(bone)) return bone.normalized();
  }
  if (self.parent != kNone && has_direction(self.rest.translation))
    return (self.rest.rotation.conjugate() * self.rest.translation).normalized();
  return Vec3::UnitY();
}

}  // namespace

Vec3 bone_axis(const Skeleton& skeleton, Index joint) {
  std::vector<Index> children;
  for (Index j = joint + 1; j < skeleton.size(); ++j)
    if (skeleton.joints[j].parent == joint) children.push_back(j);
  return axis_of(skeleton, joint, children);
}

std::vector<Vec3> bone_axes(const Skeleton& skeleton) {
  const auto children = skeleton.children();
  std::vector<Vec3> axes;
  for (Index j = 0; j < skeleton.size(); ++j) axes.push_back(axis_of(skeleton, j, children[j]));
  return axes;
}

}  // namespace sinew
