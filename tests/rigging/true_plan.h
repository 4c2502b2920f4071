// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Plans with the true joints of a made character, but for some that are left out.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/embed/interior.h"
#include "sinew/shapes/kinds.h"

namespace sinew::test {

/// "LeftUpperArm": "left_upper_arm".
inline std::string role_of(const std::string& name) {
  std::string role;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z', digit = c >= '0' && c <= '9';
    if ((upper || digit) && !role.empty()) role += '_';
    role += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return role;
}

inline bool has_any(const std::string& name, const std::vector<std::string_view>& words) {
  for (const std::string_view word : words)
    if (name.find(word) != std::string::npos) return true;
  return false;
}

/// A made character's joints whose names hold none of the words. A leaf whose own children were left out ends at the
/// mean of their places.
inline rigging::SkeletonPlan true_plan(const shapes::Made& made, const std::vector<std::string_view>& without) {
  const Skeleton& skeleton = made.character.rig.skeleton;
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  rigging::SkeletonPlan plan;
  std::vector<Index> number(skeleton.size(), kNone);
  std::vector<Vec3> dropped(skeleton.size(), Vec3::Zero());
  std::vector<int> count(skeleton.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    const Vec3 place = rest[j].topRightCorner<3, 1>();
    if (!joint.deforming || has_any(joint.name, without)) {
      if (joint.parent != kNone) dropped[joint.parent] += place, ++count[joint.parent];
      continue;
    }
    number[j] = static_cast<Index>(plan.joints.size());
    rigging::PlannedJoint planned;
    planned.name = joint.name;
    planned.role = role_of(joint.name);
    planned.parent = joint.parent == kNone ? kNone : number[joint.parent];
    planned.position = place;
    if (joint.end_local) planned.end = transform_point(rest[j], *joint.end_local);
    plan.joints.push_back(planned);
  }
  std::vector<bool> leaf(plan.joints.size(), true);
  for (const rigging::PlannedJoint& joint : plan.joints)
    if (joint.parent != kNone) leaf[joint.parent] = false;
  for (Index j = 0; j < skeleton.size(); ++j) {
    if (number[j] == kNone) continue;
    rigging::PlannedJoint& planned = plan.joints[number[j]];
    if (!planned.end && leaf[number[j]] && count[j] > 0) planned.end = dropped[j] / count[j];
    const Index mirror = skeleton.joints[j].mirror;
    if (mirror != kNone) planned.partner = number[mirror];
  }
  return plan;
}

inline Vec3 true_place(const shapes::Made& made, const std::string& name) {
  const Skeleton& skeleton = made.character.rig.skeleton;
  return rest_matrices(skeleton)[skeleton.find(name)].topRightCorner<3, 1>();
}

/// Where the leaf of that name ends.
inline Vec3 true_end(const shapes::Made& made, const std::string& name) {
  const Skeleton& skeleton = made.character.rig.skeleton;
  const Index j = skeleton.find(name);
  return transform_point(rest_matrices(skeleton)[j], skeleton.joints[j].end_local.value());
}

inline bool all_inside(const rigging::SkeletonPlan& plan, const rigging::Interior& interior) {
  for (const rigging::PlannedJoint& joint : plan.joints)
    if (geometry::sample(interior.depth, interior.to_unit(joint.position)) >= 0) return false;
  return true;
}

}  // namespace sinew::test
