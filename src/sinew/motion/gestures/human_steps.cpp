// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/gestures/human_steps.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"

namespace sinew::motion {
namespace {

double eased_step(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

// A foot on the ground.
Gesture::Step carrying(const StepCycle& cycle, const FootShape& foot, double phase) {
  const double down = cycle.strike_deg * (1 - eased_step(phase / cycle.roll));
  const double up = cycle.push_deg * eased_step((phase - cycle.heel_off) / (cycle.stance - cycle.heel_off) * 0.5) * 2;
  const double pitch_deg = up - down;
  const Vec3 pivot = pitch_deg < 0 ? foot.heel : foot.ball;
  Gesture::Step step;
  step.turn = {pitch_deg, 0, 0};
  // The pivot goes with the ground; the ankle turns about it.
  step.shift =
      Vec3(0, 0, cycle.stride * (cycle.reach - phase)) + pivot - rotation_exp(kRadPerDegree * step.turn) * pivot;
  return step;
}

// From one value and slope to another.
double hermite(double a, double slope_a, double b, double slope_b, double x) {
  const double x2 = x * x, x3 = x2 * x;
  return (2 * x3 - 3 * x2 + 1) * a + (x3 - 2 * x2 + x) * slope_a + (3 * x2 - 2 * x3) * b + (x3 - x2) * slope_b;
}

}  // namespace

Gesture::Step stepping_foot(const StepCycle& cycle, const FootShape& foot, double phase, double& toes_deg) {
  toes_deg = 0;
  if (phase < cycle.stance) {
    const Gesture::Step step = carrying(cycle, foot, phase);
    if (foot.toes && step.turn.x() > 0) toes_deg = -step.turn.x();
    return step;
  }
  const double length = 1 - cycle.stance, x = (phase - cycle.stance) / length;
  const Gesture::Step off = carrying(cycle, foot, cycle.stance), strike = carrying(cycle, foot, 0);
  Gesture::Step step;
  const double ground = -cycle.stride * length;  // Speed of the ground, per swing.
  step.shift.z() = hermite(off.shift.z(), ground, strike.shift.z(), ground, x);
  const double arc = std::sin(kPi * x);
  step.shift.y() = off.shift.y() + (strike.shift.y() - off.shift.y()) * eased_step(x) + cycle.clearance * arc * arc;
  step.turn.x() = off.turn.x() + (strike.turn.x() - off.turn.x()) * eased_step(x) +
                  cycle.swing_deg * std::sin(kPi * eased_step(std::sqrt(x)));
  // The toes must not dip into the ground while the foot turns.
  const Quat turned = rotation_exp(kRadPerDegree * step.turn);
  for (const Vec3& point : {foot.heel, foot.ball})
    step.shift.y() = std::max(step.shift.y(), (point - turned * point).y() + 0.015 * arc);
  if (foot.toes) toes_deg = -off.turn.x() * (1 - eased_step(2.5 * x));
  return step;
}

}  // namespace sinew::motion
