// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

Index SkeletonPlan::find_role(const std::string& role) const {
  for (Index j = 0; j < joints.size(); ++j)
    if (joints[j].role == role) return j;
  return kNone;
}

SkeletonPlan turned_plan(SkeletonPlan plan, const Mat4& turn) {
  const Mat3 rotation = turn.topLeftCorner<3, 3>();
  for (PlannedJoint& joint : plan.joints) {
    joint.position = transform_point(turn, joint.position);
    if (joint.end) joint.end = transform_point(turn, *joint.end);
    joint.bend_axis = rotation * joint.bend_axis;
  }
  plan.up = rotation * plan.up;
  plan.forward = rotation * plan.forward;
  plan.left = rotation * plan.left;
  plan.mirror_point = transform_point(turn, plan.mirror_point);
  return plan;
}

}  // namespace sinew::rigging
