// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Plans for tests: a template as it stands, and made characters whose axes are known.

#include <string>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/template.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::test {

/// The template's joints at its own places, partners mirrored; leaves go on for half the length of their bone.
inline rigging::SkeletonPlan plan_of(const Template& source) {
  rigging::SkeletonPlan plan;
  plan.template_name = source.name;
  plan.symmetric = true;
  std::vector<bool> leaf(source.joints.size(), true);
  for (const Template::Joint& joint : source.joints)
    if (joint.parent != kNone) leaf[joint.parent] = false;
  for (Index j = 0; j < source.joints.size(); ++j) {
    const Template::Joint& joint = source.joints[j];
    rigging::PlannedJoint planned;
    planned.name = joint.name, planned.role = joint.role, planned.parent = joint.parent;
    planned.position = joint.position, planned.partner = joint.partner, planned.limits = joint.limits;
    if (leaf[j] && joint.parent != kNone)
      planned.end = joint.position + 0.5 * (joint.position - source.joints[joint.parent].position);
    plan.joints.push_back(planned);
  }
  return plan;
}

/// A skeleton's joints at rest, with the roles that a template has for their names and nothing known about what they
/// bend about.
inline rigging::SkeletonPlan plan_of(const Skeleton& skeleton, const Template& roles) {
  rigging::SkeletonPlan plan;
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    rigging::PlannedJoint planned;
    planned.name = joint.name, planned.parent = joint.parent, planned.partner = joint.mirror;
    planned.position = rest[j].topRightCorner<3, 1>();
    if (joint.end_local) planned.end = transform_point(rest[j], *joint.end_local);
    for (const Template::Joint& known : roles.joints)
      if (known.name == joint.name) planned.role = known.role;
    plan.joints.push_back(planned);
  }
  return plan;
}

inline Mat3 frame_of(const Mat4& matrix) {
  Mat3 frame = matrix.topLeftCorner<3, 3>();
  for (int i = 0; i < 3; ++i) frame.col(i).normalize();
  return frame;
}

}  // namespace sinew::test
