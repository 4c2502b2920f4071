// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sinew/shapes/bodies/body_plan.h"
#include "sinew/shapes/bodies/hand_parts.h"
#include "sinew/shapes/made.h"
#include "sinew/shapes/surface/drawing.h"

namespace sinew::shapes {

/// How a person differs from the plain one; factors.
struct HumanShape {
  double girth = 1, shoulders = 1, hips = 1, belly = 1, neck = 1, head = 1, arms = 1, legs = 1, feet = 1;
  double leg_length = 1, arm_length = 1, trunk_length = 1, neck_length = 1, foot_length = 1;
  HandShape hand;
};

struct ArmJoints {
  Index clavicle, upper, fore;
  HandJoints hand;
};
struct LegJoints {
  Index thigh, shin, foot, toes;
};

/// Joints of a person in the wanted pose, designed in a T pose.
struct HumanPlan {
  BodyPlan plan;
  HumanShape shape;
  std::array<Index, 5> trunk;  ///< Hips, spine, chest, neck, head.
  std::array<ArmJoints, 2> arms;
  std::array<LegJoints, 2> legs;
  std::vector<std::pair<std::string, Index>> template_joints;
};

HumanPlan plan_human(const MakeOptions& options, const Trial& trial);

}  // namespace sinew::shapes
