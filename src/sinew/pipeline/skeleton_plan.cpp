// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/skeleton_plan.h"

#include <utility>

namespace sinew::pipeline {

rigging::SkeletonPlan plan_of_skeleton(const Skeleton& skeleton, const motion::Recognition& roles) {
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  rigging::SkeletonPlan plan;
  plan.up = roles.up;
  plan.forward = roles.forward;
  plan.left = roles.left;
  for (Index j = 0; j < skeleton.size(); ++j) {
    rigging::PlannedJoint joint;
    joint.name = skeleton.joints[j].name;
    joint.role = motion::role_name(roles.roles[j]);
    joint.parent = skeleton.joints[j].parent;
    joint.position = rest[j].topRightCorner<3, 1>();
    if (skeleton.joints[j].end_local) joint.end = transform_point(rest[j], *skeleton.joints[j].end_local);
    plan.joints.push_back(std::move(joint));
  }
  return plan;
}

rigging::SkeletonPlan plan_of_roles(const Skeleton& skeleton, const motion::Recognition& roles,
                                    std::vector<Index>& joints) {
  rigging::SkeletonPlan all = plan_of_skeleton(skeleton, roles), plan = all;
  plan.joints.clear();
  joints.clear();
  std::vector<Index> number(skeleton.joints.size(), kNone);
  for (Index j = 0; j < skeleton.size(); ++j) {
    if (roles.roles[j].empty()) continue;
    rigging::PlannedJoint joint = std::move(all.joints[j]);
    while (joint.parent != kNone && number[joint.parent] == kNone) joint.parent = skeleton.joints[joint.parent].parent;
    if (joint.parent != kNone) joint.parent = number[joint.parent];
    number[j] = static_cast<Index>(joints.size());
    plan.joints.push_back(std::move(joint));
    joints.push_back(j);
  }
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const motion::JointRole& role = roles.roles[joints[k]];
    if (role.side == motion::Side::kMiddle) continue;
    const auto other = role.side == motion::Side::kLeft ? motion::Side::kRight : motion::Side::kLeft;
    const Index partner = roles.find(role.part, other, role.number);
    if (partner != kNone) plan.joints[k].partner = number[partner];
  }
  return plan;
}

}  // namespace sinew::pipeline
