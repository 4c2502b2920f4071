// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/human_plan.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/shapes/variation.h"

namespace sinew::shapes {
namespace {

HumanShape varied_human(const Variation& vary) {
  HumanShape s;
  const double build = vary.factor("build", 1.45);
  s.girth = build * vary.factor("girth", 1.2);
  s.shoulders = vary.factor("shoulders", 1.25);
  s.hips = vary.factor("hips", 1.25);
  s.belly = vary.factor("belly", 1.7);
  s.neck = vary.factor("neck", 1.25);
  s.head = vary.factor("head", 1.3);
  s.arms = build * vary.factor("arms", 1.25);
  s.legs = std::sqrt(build) * vary.factor("legs", 1.12);
  s.feet = vary.factor("feet", 1.2);
  s.leg_length = vary.factor("leg length", 1.35);
  s.arm_length = vary.factor("arm length", 1.3);
  s.trunk_length = vary.factor("trunk length", 1.25);
  s.neck_length = vary.factor("neck length", 1.3);
  s.foot_length = s.feet * vary.factor("foot length", 1.15);
  s.hand = varied_hand(vary);
  return s;
}

void add_trunk(HumanPlan& h, double hip_height) {
  const HumanShape& s = h.shape;
  const double t = s.trunk_length;
  const Vec3 side = Vec3::UnitX();
  const Vec3 hips(0, hip_height + 0.045, 0.000);
  const Vec3 spine = hips + t * Vec3(0, 0.105, 0.004);
  const Vec3 chest = spine + t * Vec3(0, 0.145, -0.002);
  const Vec3 neck = chest + t * Vec3(0, 0.262, -0.022);
  const Vec3 head = neck + s.neck_length * Vec3(0, 0.085, 0.022);
  const Vec3 crown = head + s.head * Vec3(0, 0.205, 0.0);
  h.trunk[0] = h.plan.add("Hips", kNone, hips, spine, side);
  h.trunk[1] = h.plan.add("Spine", h.trunk[0], spine, chest, side);
  h.trunk[2] = h.plan.add("Chest", h.trunk[1], chest, neck, side);
  h.trunk[3] = h.plan.add("Neck", h.trunk[2], neck, head, side);
  h.trunk[4] = h.plan.add("Head", h.trunk[3], head, crown, side, true);
}

void add_arms(HumanPlan& h, const Vec3& neck) {
  const HumanShape& s = h.shape;
  const double wide = s.girth * s.shoulders;
  const Vec3 clavicle = neck + Vec3(0.022, -0.035, 0.004);
  const Vec3 shoulder(0.184 * wide, neck.y() - 0.064 * s.trunk_length, neck.z() + 0.004);
  const Vec3 elbow = shoulder + s.arm_length * Vec3(0.285, 0, -0.008);
  const Vec3 wrist = elbow + s.arm_length * Vec3(0.255, 0, 0.008);
  const Vec3 bend = -Vec3::UnitY();
  ArmJoints& left = h.arms[0];
  left.clavicle = h.plan.add("LeftShoulder", h.trunk[2], clavicle, shoulder, bend);
  left.upper = h.plan.add("LeftUpperArm", left.clavicle, shoulder, elbow, bend);
  left.fore = h.plan.add("LeftForearm", left.upper, elbow, wrist, bend);
  left.hand = add_hand(h.plan, "Left", left.fore, wrist, Vec3::UnitX(), Vec3::UnitY(), s.hand);
  ArmJoints& right = h.arms[1];
  right.clavicle = h.plan.add_mirrored("RightShoulder", h.trunk[2], left.clavicle);
  right.upper = h.plan.add_mirrored("RightUpperArm", right.clavicle, left.upper);
  right.fore = h.plan.add_mirrored("RightForearm", right.upper, left.fore);
  right.hand = mirror_hand(h.plan, "Right", right.fore, left.hand);
}

void add_legs(HumanPlan& h, double hip_height, double hip_width) {
  const HumanShape& s = h.shape;
  const double l = s.leg_length;
  const double f = s.feet;
  const Vec3 side = Vec3::UnitX();
  const Vec3 hip(hip_width, hip_height, -0.002);
  const Vec3 knee = hip + l * Vec3(0.006, -0.435, 0.006);
  const double ankle_height = 0.080 * f;
  const Vec3 ankle(knee.x() + 0.004, ankle_height, knee.z() - 0.030);
  const Vec3 ball = ankle + Vec3(0.008, 0.022 * f - ankle_height, 0.125 * s.foot_length);
  const Vec3 tip = ball + s.foot_length * Vec3(0.002, -0.005, 0.068);
  LegJoints& left = h.legs[0];
  left.thigh = h.plan.add("LeftThigh", h.trunk[0], hip, knee, side);
  left.shin = h.plan.add("LeftShin", left.thigh, knee, ankle, side);
  left.foot = h.plan.add("LeftFoot", left.shin, ankle, ball, side);
  left.toes = h.plan.add("LeftToes", left.foot, ball, tip, side, true);
  LegJoints& right = h.legs[1];
  right.thigh = h.plan.add_mirrored("RightThigh", h.trunk[0], left.thigh);
  right.shin = h.plan.add_mirrored("RightShin", right.thigh, left.shin);
  right.foot = h.plan.add_mirrored("RightFoot", right.shin, left.foot);
  right.toes = h.plan.add_mirrored("RightToes", right.foot, left.toes);
}

/// Arms down by an angle from the T pose, elbows slightly bent, fingers relaxed.
void relax(HumanPlan& h, double down_deg) {
  for (std::size_t i = 0; i < 2; ++i) {
    const double side = i == 0 ? 1 : -1;
    const ArmJoints& arm = h.arms[i];
    h.plan.turn_model(arm.clavicle, {0, 0, -0.1 * side * down_deg * kRadPerDegree});
    h.plan.turn_model(arm.upper, {0, 0, -0.9 * side * down_deg * kRadPerDegree});
    const double ease = down_deg / 45;
    h.plan.turn(arm.fore, rotation_exp(Vec3(0, 0, 10 * ease * kRadPerDegree)));
    for (std::size_t f = 0; f < 4; ++f)
      for (std::size_t k = 0; k < 3; ++k)
        h.plan.turn(arm.hand.fingers[f][k],
                    rotation_exp(Vec3(0, 0, (6 + 2 * static_cast<double>(f)) * ease * kRadPerDegree)));
  }
}

/// Every joint turned at random within what a person can do comfortably.
void pose_at_random(HumanPlan& h, const Variation& dice) {
  const double calm = dice.amount();
  const auto turn = [&](Index joint, const std::string& name, const Vec3& middle_deg, const Vec3& range_deg) {
    const Vec3 random(dice.value(name + " x"), dice.value(name + " y"), dice.value(name + " z"));
    h.plan.turn(joint, rotation_exp(kRadPerDegree * calm * (middle_deg + range_deg.cwiseProduct(random))));
  };
  turn(h.trunk[1], "spine", Vec3::Zero(), {10, 15, 18});
  turn(h.trunk[2], "chest", Vec3::Zero(), {10, 18, 14});
  turn(h.trunk[3], "neck", Vec3::Zero(), {10, 20, 12});
  turn(h.trunk[4], "head", Vec3::Zero(), {8, 20, 12});
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string side = i == 0 ? "left " : "right ";
    const double mirror = i == 0 ? 1 : -1;
    const ArmJoints& arm = h.arms[i];
    // Frames of an arm: x back, y along, z down. Up and down, twist, and forward.
    turn(arm.upper, side + "upper arm", Vec3(-10 * mirror, 0, 15), {25, 25, 35});
    turn(arm.fore, side + "forearm", {0, 0, 45}, {0, 35, 45});
    turn(arm.hand.hand, side + "hand", Vec3::Zero(), {12, 0, 30});  // x up, z across.
    const double curl = 14 + 14 * dice.value(side + "curl");
    for (std::size_t f = 0; f < 4; ++f)
      for (std::size_t k = 0; k < 3; ++k)
        turn(arm.hand.fingers[f][k], side + "finger" + std::to_string(f), {0, 0, curl}, {0, 0, 3});
    const LegJoints& leg = h.legs[i];
    // Frames of a leg: x front, y down, z left. Sideways, twist, back and forth.
    turn(leg.thigh, side + "thigh", Vec3(8 * mirror, 0, -10), {6, 10, 28});
    turn(leg.shin, side + "shin", {0, 0, 35}, {0, 0, 35});
    turn(leg.foot, side + "foot", Vec3::Zero(), {8, 0, 15});
  }
}

void name_template(HumanPlan& h) {
  for (const char* name : {"Hips", "Spine", "Chest", "Neck", "Head"})
    h.template_joints.emplace_back(name, h.plan.find(name));
  for (const std::string side : {"Left", "Right"}) {
    for (const char* name : {"Shoulder", "UpperArm", "Forearm", "Hand", "Thigh", "Shin", "Foot", "Toes"})
      h.template_joints.emplace_back(side + name, h.plan.find(side + name));
    for (const char* finger : {"Thumb", "Index", "Middle", "Ring", "Little"})
      for (const char* k : {"1", "2", "3"})
        h.template_joints.emplace_back(side + finger + k, h.plan.find(side + finger + k));
  }
}

}  // namespace

HumanPlan plan_human(const MakeOptions& options, const Trial& trial) {
  HumanPlan h;
  h.shape = varied_human(body_variation(options, trial));
  const HumanShape& s = h.shape;
  const double hip_height = 0.080 * s.feet + s.leg_length * (0.435 + 0.415);
  // Thighs must not meet: hips are as wide as the legs need them.
  const double hip_width = std::max(0.088 * s.girth * s.hips, 0.080 * s.legs + 0.008);
  add_trunk(h, hip_height);
  h.plan.settle();
  add_arms(h, h.plan.place(h.trunk[3]));
  add_legs(h, hip_height, hip_width);
  name_template(h);
  if (options.made_pose == "a") relax(h, 45);
  if (options.made_pose == "random") {
    relax(h, 45);
    pose_at_random(h, pose_dice(options, trial));
  }
  h.plan.settle();
  return h;
}

}  // namespace sinew::shapes
