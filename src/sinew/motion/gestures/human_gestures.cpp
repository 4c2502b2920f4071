// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cmath>

#include "sinew/motion/gestures/gestures.h"
#include "sinew/motion/gestures/human_steps.h"

#include "sinew/core/angles.h"

namespace sinew::motion {
namespace {

// 0 before `from`, 1 after `to`, smooth between.
double eased(double t, double from, double to) {
  const double x = std::clamp((t - from) / (to - from), 0.0, 1.0);
  return x * x * x * (x * (6 * x - 15) + 10);
}

double phase_of(double t) { return t - std::floor(t); }

void stand(Gesture& g) { g.steps["left_foot"] = g.steps["right_foot"] = {}; }

// The axes about which elbows bring the hands forward, in the stance.
struct Elbows {
  explicit Elbows(const Body& body)
      : left(body.direction("left_forearm").cross(Vec3::UnitZ()).normalized()),
        right(body.direction("right_forearm").cross(Vec3::UnitZ()).normalized()) {}
  Vec3 left, right;
};

void hang_arm(Gesture& g, const Elbows& elbows, double sign, double swing_deg, double bend_deg) {
  const std::string side = sign > 0 ? "left_" : "right_";
  g.turns[side + "shoulder"] = {0, 0, -3 * sign};
  // First down to the side, then to and fro.
  g.turns[side + "upper_arm"] = then({0, 0, -36 * sign}, {swing_deg, 0, 0});
  g.turns[side + "forearm"] = bend_deg * (sign > 0 ? elbows.left : elbows.right);
}

// The right arm goes up, the hand waves, the body leans a little.
Gesture wave(double time, const Elbows& elbows, const Vec3& forearm) {
  const double up = eased(time, 0.0, 0.55) * (1 - eased(time, 1.45, kWave_s));
  const double swing = std::sin(kTwoPi * 1.75 * (time - 0.5)) * eased(time, 0.4, 0.65) * (1 - eased(time, 1.35, 1.6));
  Gesture g;
  stand(g);
  g.shift = {0.013 * up, -0.006, 0};
  g.turns["hips"] = {0, 0, -1.5 * up};
  g.turns["spine"] = {0, -4 * up, 3 * up};
  g.turns["chest"] = {0, -4 * up, 3 * up + 1.0 * swing};
  g.turns["neck"] = {0, 0, -3 * up};
  g.turns["head"] = {0, -4 * up, -5 * up - 1.5 * swing};
  hang_arm(g, elbows, 1, 2, 8 + 8 * up);
  const double down = 1 - up;
  g.turns["right_shoulder"] = {0, 0, 3 * down - 14 * up};
  g.turns["right_upper_arm"] = {0, 0, 36 * down - 36 * up};
  // The palm hangs towards the thigh; forearm and hand turn it to the front.
  g.turns["right_forearm"] = then(forearm * (58 * up) + elbows.right * (8 * down), {0, 0, (-84 + 20 * swing) * up});
  g.turns["right_hand"] = then(forearm * (24 * up), {0, 0, 14 * swing * up});
  return g;
}

// Breathing, and the weight going from one leg to the other.
Gesture idle(double time, const Elbows& elbows) {
  const double breath = std::sin(kTwoPi * time / kIdle_s * 2), sway = std::sin(kTwoPi * time / kIdle_s);
  const double late = std::sin(kTwoPi * time / kIdle_s - 0.9);
  Gesture g;
  stand(g);
  g.shift = {0.016 * sway, -0.010 - 0.004 * sway * sway, 0.004 * late};
  g.turns["hips"] = {0, 1.2 * late, 1.2 * sway};
  g.turns["spine"] = {1.0 - 0.8 * breath, -0.6 * late, -1.4 * sway};
  g.turns["chest"] = {-1.0 - 1.4 * breath, 0.8 * late, -0.8 * sway};
  g.turns["neck"] = {1.0 + 0.8 * breath, 1.5 * late, 0.6 * sway};
  g.turns["head"] = {0.8 + 0.7 * breath, 3.0 * late, 0.8 * sway};
  for (const double sign : {1.0, -1.0}) {
    const std::string side = sign > 0 ? "left_" : "right_";
    hang_arm(g, elbows, sign, 1.5 + 1.2 * late * sign, 11 + 1.5 * breath);
    g.turns[side + "shoulder"] = {0, 0, sign * (-2.5 + 1.2 * breath)};
  }
  return g;
}

// Both feet of a gait, half a cycle apart.
void step_feet(Gesture& g, const Body& body, const StepCycle& cycle, double phase) {
  for (const bool left : {true, false}) {
    const std::string side = left ? "left_" : "right_";
    double toes_deg = 0;
    g.steps[side + "foot"] =
        stepping_foot(cycle, body.foot(side + "foot"), left ? phase : phase_of(phase + 0.5), toes_deg);
    g.turns[side + "toes"] = {toes_deg, 0, 0};
  }
}

constexpr StepCycle kWalkCycle = {};
constexpr StepCycle kRunCycle = {.stance = 0.36,
                                 .stride = 1.9,
                                 .reach = 0.125,
                                 .strike_deg = 6,
                                 .roll = 0.06,
                                 .heel_off = 0.17,
                                 .push_deg = 44,
                                 .clearance = 0.27,
                                 .swing_deg = 38};

Gesture walk(const Body& body, double time, const Elbows& elbows) {
  const double phase = phase_of(time / kWalk_s), angle = kTwoPi * phase;
  Gesture g;
  g.grounded = false;
  // Lowest just after a heel comes down, highest over the standing leg, to whose side it sways.
  g.shift = {0.018 * std::sin(angle - 0.2), -0.033 - 0.019 * std::cos(2 * (angle - 0.35)), 0};
  g.turns["hips"] = {2.5, -6 * std::cos(angle), 3 * std::sin(angle - 0.2)};
  g.turns["spine"] = {0.5, 5 * std::cos(angle), -2.4 * std::sin(angle - 0.2)};
  g.turns["chest"] = {1 + 0.8 * std::cos(2 * angle), 7 * std::cos(angle), -1.5 * std::sin(angle - 0.2)};
  g.turns["neck"] = {-1.5, -3 * std::cos(angle), 0};
  g.turns["head"] = {-2 - 1.0 * std::cos(2 * angle + 0.6), -3 * std::cos(angle), 0.8 * std::sin(angle)};
  step_feet(g, body, kWalkCycle, phase);
  for (const double sign : {1.0, -1.0}) {
    // Forearm and hand swing a little after the upper arm.
    const double swing = sign * std::cos(angle - 0.15), late = sign * std::cos(angle - 0.6);
    hang_arm(g, elbows, sign, 20 * swing + 3, 20 - 12 * late);
    g.turns[(sign > 0 ? "left_" : "right_") + std::string("hand")] = {-3 - 5 * late, 0, 0};
  }
  return g;
}

Gesture run(const Body& body, double time, const Elbows& elbows) {
  const double phase = phase_of(time / kRun_s), angle = kTwoPi * phase;
  Gesture g;
  g.grounded = false;
  // Both feet leave the ground after each push.
  const double flight = std::clamp((phase_of(2 * phase) - 0.70) / 0.30, 0.0, 1.0);
  g.lift = 0.055 * std::pow(std::sin(kPi * flight), 2);
  g.shift = {0.010 * std::sin(angle - 0.6), -0.085 - 0.030 * std::cos(2 * (angle - 1.05)), 0.03};
  g.turns["hips"] = {10, -9 * std::cos(angle), 2.5 * std::sin(angle - 0.5)};
  g.turns["spine"] = {4, 8 * std::cos(angle), -2 * std::sin(angle - 0.5)};
  g.turns["chest"] = {2 + 1.5 * std::cos(2 * angle), 12 * std::cos(angle), -1.5 * std::sin(angle - 0.5)};
  g.turns["neck"] = {-6, -5 * std::cos(angle), 0};
  g.turns["head"] = {-7 - 1.5 * std::cos(2 * angle + 0.6), -5 * std::cos(angle), 0.5 * std::sin(angle)};
  step_feet(g, body, kRunCycle, phase);
  for (const double sign : {1.0, -1.0}) {
    const std::string side = sign > 0 ? "left_" : "right_";
    const double swing = sign * std::cos(angle - 0.1);
    hang_arm(g, elbows, sign, 6 + 38 * swing, 84 - 16 * swing);
    g.turns[side + "hand"] = {-6 - 4 * swing, 0, 0};
  }
  return g;
}

// Crouches with the arms back, leaves the ground with the arms up, and lands in a crouch.
Gesture jump(const Body& body, double time, const Elbows& elbows) {
  constexpr double kOff = 0.50, kLand = 0.96, kHeight = 0.34;
  const double crouch = eased(time, 0.0, 0.32) * (1 - eased(time, 0.34, kOff + 0.04));
  const double air = std::clamp((time - kOff) / (kLand - kOff), 0.0, 1.0), height = 4 * kHeight * air * (1 - air);
  const double landing = eased(time, kLand - 0.10, kLand + 0.12) * (1 - eased(time, kLand + 0.16, kJump_s));
  const double tiptoe = eased(time, 0.36, kOff) * (1 - eased(time, kOff + 0.10, kLand - 0.06));
  const double tuck = std::sin(kPi * air);
  const double arms = eased(time, 0.30, kOff + 0.02) * (1 - eased(time, kLand - 0.16, kLand + 0.22));
  Gesture g;
  g.grounded = false;
  g.shift = {0, -0.012 + height - 0.26 * crouch - 0.22 * landing + 0.02 * tiptoe, -0.10 * crouch - 0.09 * landing};
  g.turns["hips"] = {24 * crouch + 20 * landing - 3 * tuck, 0, 0};
  g.turns["spine"] = {12 * crouch + 9 * landing - 3 * tuck, 0, 0};
  g.turns["chest"] = {6 * crouch + 5 * landing - 4 * tuck, 0, 0};
  g.turns["neck"] = {-12 * crouch - 10 * landing, 0, 0};
  g.turns["head"] = {-14 * crouch - 12 * landing + 4 * tuck, 0, 0};
  for (const std::string side : {"left_", "right_"}) {
    const FootShape foot = body.foot(side + "foot");
    Gesture::Step& step = g.steps[side + "foot"];
    step.turn = {34 * tiptoe, 0, 0};
    step.shift = foot.ball - rotation_exp(kRadPerDegree * step.turn) * foot.ball;
    step.shift += Vec3(0, height + 0.10 * tuck, -0.04 * tuck);
    if (foot.toes) g.turns[side + "toes"] = {-34 * tiptoe * (1 - tuck), 0, 0};
  }
  const double ready = std::max(crouch, 0.5 * landing) * (1 - arms);
  for (const double sign : {1.0, -1.0}) hang_arm(g, elbows, sign, 38 * ready - 112 * arms, 10 + 14 * ready + 16 * arms);
  return g;
}

// Sits down on a seat as high as the knees, stays, and rises.
Gesture sit(double time, const Elbows& elbows) {
  const double down = eased(time, 0.1, 1.3) * (1 - eased(time, kSit_s - 1.3, kSit_s - 0.1));
  // The trunk goes ahead of the hips while they travel.
  const double lean = 4 * down * (1 - down), breath = std::sin(kTwoPi * time / kSit_s * 2);
  Gesture g;
  g.grounded = false;
  stand(g);
  g.shift = {0, -0.010 - 0.43 * down, -0.44 * std::sin(0.5 * kPi * down)};
  g.turns["hips"] = {26 * lean - 4 * down, 0, 0};
  g.turns["spine"] = {14 * lean + 5 * down - 0.6 * breath, 0, 0};
  g.turns["chest"] = {6 * lean + 3 * down - 1.2 * breath, 0, 0};
  g.turns["neck"] = {-12 * lean - 2 * down + 0.5 * breath, 0, 0};
  g.turns["head"] = {-16 * lean - 2 * down + 0.6 * breath, 0, 0};
  for (const double sign : {1.0, -1.0}) {
    hang_arm(g, elbows, sign, -26 * down - 22 * lean, 9 + 44 * down);
    g.turns[(sign > 0 ? "left_" : "right_") + std::string("shoulder")] = {0, 0, sign * (-3 + 0.6 * breath)};
  }
  return g;
}

// Looks to the left, to the right and back; the eyes lead, the body follows.
Gesture look_around(double time, const Elbows& elbows) {
  const auto glance = [&](double lag) {
    const double t = time - lag;
    return eased(t, 0.2, 0.9) * (1 - eased(t, 1.5, 2.5)) - eased(t, 1.7, 2.7) * (1 - eased(t, 3.4, 4.3));
  };
  const double head = glance(0), trunk = glance(0.18), breath = std::sin(kTwoPi * time / kLook_s * 2);
  const double up = std::pow(std::sin(kPi * std::clamp((time - 2.6) / 0.9, 0.0, 1.0)), 2);
  Gesture g;
  stand(g);
  g.shift = {0.012 * trunk, -0.012 - 0.003 * trunk * trunk, 0};
  g.turns["hips"] = {0, 4 * trunk, 1.0 * trunk};
  g.turns["spine"] = {0.5 - 0.6 * breath, 7 * trunk, -1.0 * trunk};
  g.turns["chest"] = {-0.5 - 1.0 * breath, 9 * trunk, -0.6 * trunk};
  g.turns["neck"] = {0.8, 16 * head, -1.5 * head};
  g.turns["head"] = {1.5 - 10 * up, 30 * head, -3 * head};
  for (const double sign : {1.0, -1.0}) hang_arm(g, elbows, sign, 2 + 3 * sign * trunk, 11 + breath);
  return g;
}

// A quarter turn to the left: the left foot steps round, then the right one follows.
Gesture turn(const Body& body, double time, const Elbows& elbows) {
  constexpr double kAngle = 90;
  const double yaw = kAngle * eased(time, 0.12, 1.12), head = kAngle * eased(time, 0.0, 0.85) - yaw;
  Gesture g;
  g.grounded = false;
  for (const bool left : {true, false}) {
    const std::string role = left ? "left_foot" : "right_foot";
    const double begin = left ? 0.12 : 0.62, end = left ? 0.62 : 1.14;
    const double own = kAngle * eased(time, begin, end);
    const double x = std::clamp((time - begin) / (end - begin), 0.0, 1.0);
    const Vec3 place = body.foot(role).place;
    Gesture::Step& step = g.steps[role];
    step.turn = {0, own, 0};
    step.shift =
        rotation_exp(kRadPerDegree * step.turn) * Vec3(place.x(), 0, place.z()) - Vec3(place.x(), 0, place.z());
    step.shift.y() = 0.07 * std::pow(std::sin(kPi * x), 2);
  }
  const double moving = std::sin(kPi * std::clamp(time / kTurn_s, 0.0, 1.0));
  // Over the foot that carries.
  const double weight = std::sin(kTwoPi * std::clamp(time / kTurn_s, 0.0, 1.0));
  const Vec3 aside = rotation_exp(kRadPerDegree * Vec3(0, yaw, 0)) * Vec3(-0.03 * weight, 0, 0);
  g.shift = Vec3(0, -0.012 - 0.03 * moving, 0) + aside;
  g.turns["hips"] = {1.5 * moving, yaw, 0};
  g.turns["spine"] = {1.5 * moving, 0.25 * head, 1.5 * weight};
  g.turns["chest"] = {0, 0.25 * head, 0};
  g.turns["neck"] = {0, 0.25 * head, 0};
  g.turns["head"] = {0, 0.25 * head, 0};
  for (const double sign : {1.0, -1.0}) hang_arm(g, elbows, sign, 2 - 9 * sign * weight, 12 + 8 * moving);
  return g;
}

}  // namespace

Clip idle_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("idle", kIdle_s, [&](double time) { return idle(time, elbows); });
}

Clip walk_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("walk", kWalk_s, [&](double time) { return walk(body, time, elbows); });
}

Clip run_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("run", kRun_s, [&](double time) { return run(body, time, elbows); });
}

Clip wave_clip(const Body& body) {
  const Elbows elbows(body);
  const Vec3 forearm = body.direction("right_forearm");
  return body.record("wave", kWave_s, [&](double time) { return wave(time, elbows, forearm); });
}

Clip jump_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("jump", kJump_s, [&](double time) { return jump(body, time, elbows); });
}

Clip sit_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("sit", kSit_s, [&](double time) { return sit(time, elbows); });
}

Clip look_around_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("look-around", kLook_s, [&](double time) { return look_around(time, elbows); });
}

Clip turn_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("turn", kTurn_s, [&](double time) { return turn(body, time, elbows); });
}

}  // namespace sinew::motion
