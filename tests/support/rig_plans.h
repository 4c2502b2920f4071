// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Plans of made characters with their true joints: what a perfect search would find.

#include "sinew/motion/names/joint_names.h"
#include "sinew/rigging/rigger.h"
#include "tests/support/made_human.h"

namespace sinew::test {

inline std::string other_side(const std::string& role) {
  if (role.starts_with("left_")) return "right_" + role.substr(5);
  if (role.starts_with("right_")) return "left_" + role.substr(6);
  return "";
}

inline rigging::PlanResult true_plan(const Character& character, const std::string& name = "human") {
  rigging::PlanResult rigged;
  rigged.confidence = 1;
  rigging::SkeletonPlan& plan = rigged.plan;
  plan.template_name = name;
  plan.symmetric = true;
  const Skeleton& skeleton = character.rig.skeleton;
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  const motion::Recognition known = motion::recognize(skeleton);
  for (Index j = 0; j < skeleton.size(); ++j) {
    rigging::PlannedJoint joint;
    joint.name = skeleton.joints[j].name;
    joint.role = motion::role_name(known.roles[j]);
    joint.parent = skeleton.joints[j].parent;
    joint.position = rest[j].topRightCorner<3, 1>();
    if (skeleton.joints[j].end_local) joint.end = transform_point(rest[j], *skeleton.joints[j].end_local);
    joint.origin = "given";
    plan.joints.push_back(joint);
  }
  for (rigging::PlannedJoint& joint : plan.joints)
    if (const std::string role = other_side(joint.role); !role.empty()) joint.partner = plan.find_role(role);
  return rigged;
}

}  // namespace sinew::test
