// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The path of a foot that walks or runs in place, as on a treadmill: while it carries, the point on which it stands
/// moves back at a constant speed, so that it does not slide when the character moves forward at that speed.

#include "sinew/motion/gestures/body.h"

namespace sinew::motion {

struct StepCycle {
  double stance = 0.62;      ///< Share of the cycle in which the foot carries.
  double stride = 1.05;      ///< Way of the ground in one cycle, in leg lengths.
  double reach = 0.27;       ///< Where the foot comes down in front of its place at rest, as a share of the stride.
  double strike_deg = 16;    ///< By how much the toes are raised when the heel comes down.
  double roll = 0.10;        ///< Share of the cycle in which the foot rolls down from the heel.
  double heel_off = 0.36;    ///< Phase at which the heel leaves the ground.
  double push_deg = 42;      ///< By how much the heel is raised when the toes leave the ground.
  double clearance = 0.035;  ///< Additional height of the ankle in mid-swing, in leg lengths.
  double swing_deg = 12;     ///< Additional rotation of the foot, toes down, early in the swing.
};

/// The foot at a phase in [0, 1): 0 when it comes down in front. `toes_deg`: rotation of the toes that keeps them on
/// the ground, if the foot rolls over the ball.
Gesture::Step stepping_foot(const StepCycle& cycle, const FootShape& foot, double phase, double& toes_deg);

}  // namespace sinew::motion
