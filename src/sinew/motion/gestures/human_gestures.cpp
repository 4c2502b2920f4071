// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cmath>

#include "sinew/motion/gestures/gestures.h"

#include "sinew/core/angles.h"

namespace sinew::motion {
namespace {

// 0 before `from`, 1 after `to`, smooth between.
double eased(double t, double from, double to) {
  const double x = std::clamp((t - from) / (to - from), 0.0, 1.0);
  return x * x * x * (x * (6 * x - 15) + 10);
}

double phase_of(double t) { return t - std::floor(t); }

// A bump at a phase of a cycle, the same at its end as at its beginning.
double bump(double phase, double center, double width) {
  double sum = 0;
  for (const double shift : {-1.0, 0.0, 1.0}) sum += std::exp(-std::pow((phase - center + shift) / width, 2));
  return sum;
}

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

// One leg of a walk at a phase in [0, 1): 0 when the heel comes down in front.
void walking_leg(Gesture& g, const std::string& side, double phase) {
  const double angle = kTwoPi * phase;
  // Straight while it carries; bent as it swings through.
  const double bend = 8 + 46 * bump(phase, 0.74, 0.13) + 8 * bump(phase, 0.14, 0.09);
  g.turns[side + "thigh"] = {-24 * std::cos(angle) - 4, 0, 0};
  g.turns[side + "shin"] = {bend, 0, 0};
  g.turns[side + "foot"] = {24 * bump(phase, 0.55, 0.10) - 6 * std::cos(angle) - 6, 0, 0};
}

Gesture walk(double time, const Elbows& elbows) {
  const double phase = phase_of(time / kWalk_s), angle = kTwoPi * phase, opposite = phase_of(phase + 0.5);
  Gesture g;
  g.shift = {0.013 * std::sin(angle), 0, 0};
  g.turns["hips"] = {3, -7 * std::cos(angle), 2.5 * std::sin(angle)};
  g.turns["spine"] = {0, 5 * std::cos(angle), -2 * std::sin(angle)};
  g.turns["chest"] = {1, 8 * std::cos(angle), -1.5 * std::sin(angle)};
  g.turns["neck"] = {-2, -3 * std::cos(angle), 0};
  g.turns["head"] = {-2, -3 * std::cos(angle), 0.5 * std::sin(angle)};
  walking_leg(g, "left_", phase);
  walking_leg(g, "right_", opposite);
  hang_arm(g, elbows, 1, 20 * std::cos(angle) + 2, 18 - 12 * std::cos(angle));
  hang_arm(g, elbows, -1, -20 * std::cos(angle) + 2, 18 + 12 * std::cos(angle));
  return g;
}

void running_leg(Gesture& g, const std::string& side, double phase) {
  g.turns[side + "thigh"] = {-12 - 36 * std::cos(kTwoPi * (phase + 0.06)), 0, 0};
  g.turns[side + "shin"] = {16 + 18 * bump(phase, 0.15, 0.08) + 84 * bump(phase, 0.66, 0.13), 0, 0};
  g.turns[side + "foot"] = {
      -8 - 12 * bump(phase, 0.14, 0.09) + 30 * bump(phase, 0.40, 0.08) + 22 * bump(phase, 0.62, 0.14), 0, 0};
}

Gesture run(double time, const Elbows& elbows) {
  const double phase = phase_of(time / kRun_s), angle = kTwoPi * phase, opposite = phase_of(phase + 0.5);
  Gesture g;
  // Both feet leave the ground after each push.
  const double flight = std::clamp((phase_of(2 * phase) - 0.68) / 0.32, 0.0, 1.0);
  g.lift = 0.06 * std::pow(std::sin(kPi * flight), 2);
  g.shift = {0.008 * std::sin(angle), 0, 0};
  g.turns["hips"] = {9, -10 * std::cos(angle), 2 * std::sin(angle)};
  g.turns["spine"] = {4, 8 * std::cos(angle), -1.5 * std::sin(angle)};
  g.turns["chest"] = {3, 12 * std::cos(angle), -1.5 * std::sin(angle)};
  g.turns["neck"] = {-6, -5 * std::cos(angle), 0};
  g.turns["head"] = {-7, -5 * std::cos(angle), 0.5 * std::sin(angle)};
  running_leg(g, "left_", phase);
  running_leg(g, "right_", opposite);
  for (const double sign : {1.0, -1.0}) {
    const std::string side = sign > 0 ? "left_" : "right_";
    const double swing = sign * std::cos(angle);
    hang_arm(g, elbows, sign, 6 + 40 * swing, 82 - 14 * swing);
    g.turns[side + "hand"] = {-6, 0, 0};
  }
  return g;
}

}  // namespace

Clip idle_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("idle", kIdle_s, [&](double time) { return idle(time, elbows); });
}

Clip walk_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("walk", kWalk_s, [&](double time) { return walk(time, elbows); });
}

Clip run_clip(const Body& body) {
  const Elbows elbows(body);
  return body.record("run", kRun_s, [&](double time) { return run(time, elbows); });
}

Clip wave_clip(const Body& body) {
  const Elbows elbows(body);
  const Vec3 forearm = body.direction("right_forearm");
  return body.record("wave", kWave_s, [&](double time) { return wave(time, elbows, forearm); });
}

}  // namespace sinew::motion
