// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cmath>

#include "sinew/motion/gestures/gestures.h"

#include "sinew/core/angles.h"

namespace sinew::motion {
namespace {

constexpr double kOnGround = 0.64;  // The share of a walk in which a foot carries.
constexpr double kStride = 0.46, kStepHeight = 0.11;

double fraction(double t) { return t - std::floor(t); }

// A foot at a phase: carried back with the ground, then lifted forward. `swing` is 0 on the ground and 1 in mid air.
Vec3 foot_path(double phase, double& swing) {
  swing = 0;
  if (phase < kOnGround) return {0, 0, kStride * (0.5 - phase / kOnGround)};
  const double x = (phase - kOnGround) / (1 - kOnGround);
  swing = std::pow(std::sin(kPi * x), 2);
  const double eased = x * x * (3 - 2 * x);
  return {0, kStepHeight * swing, kStride * (eased - 0.5)};
}

struct Leg {
  std::vector<std::string> roles;
  double phase;  // Of the walk, when the foot comes down.
  bool front;
};

std::vector<Leg> legs_of(const Body& body) {
  std::vector<Leg> legs;
  // Each hind foot is followed by the front foot of its side, a quarter of the cycle later.
  for (int k = 0; k < 4; ++k) {
    const bool front = k % 2 == 1;
    std::vector<std::string> roles = body.limb(front, k < 2 ? Side::kLeft : Side::kRight);
    if (roles.size() >= 3) legs.push_back({std::move(roles), 0.25 * k, front});
  }
  return legs;
}

void wag(const Body& body, Gesture& g, double angle, double yaw_deg, double pitch_deg) {
  for (int k = 1; body.has("tail_" + std::to_string(k)); ++k)
    g.turns["tail_" + std::to_string(k)] = {pitch_deg * std::cos(2 * angle - 0.5 * k),
                                            yaw_deg * std::sin(angle - 0.6 * k), 0};
}

Gesture beast_walk(const Body& body, const std::vector<Leg>& legs, double time) {
  const double cycle = time / kBeastWalk_s, angle = kTwoPi * cycle;
  Gesture g;
  g.grounded = false;
  g.shift = {0.012 * std::sin(angle), -0.045 + 0.010 * std::cos(2 * angle), 0};
  g.turns["hips"] = {0.8 * std::sin(2 * angle), 3.0 * std::cos(angle), 2.2 * std::sin(angle)};
  g.turns["spine"] = {-0.8 * std::sin(2 * angle), -3.0 * std::cos(angle), -1.5 * std::sin(angle)};
  g.turns["chest"] = {0.6 * std::sin(2 * angle + 1), -2.0 * std::cos(angle + 0.6), -1.4 * std::sin(angle)};
  g.turns["neck"] = {2.6 * std::sin(2 * angle + 0.4), 1.2 * std::cos(angle), 0};
  g.turns["head"] = {-1.6 * std::sin(2 * angle), 0.8 * std::cos(angle), 0};
  wag(body, g, angle, 7, 1.5);
  for (const Leg& leg : legs) {
    double swing = 0;
    Gesture::Step step;
    step.shift = foot_path(fraction(cycle - leg.phase), swing);
    step.turn = {(leg.front ? 46 : 34) * swing, 0, 0};
    g.steps[leg.roles.back()] = step;
    // The wrist folds back and the hock forward as the foot swings through.
    const std::size_t between = leg.roles.size() - 3;
    for (std::size_t i = 0; i < between; ++i)
      g.turns[leg.roles[i + 2]] = {(leg.front ? 42.0 : -16.0) * swing / static_cast<double>(between), 0, 0};
  }
  return g;
}

}  // namespace

Clip beast_walk_clip(const Body& body) {
  const std::vector<Leg> legs = legs_of(body);
  return body.record("walk", kBeastWalk_s, [&](double time) { return beast_walk(body, legs, time); });
}

Clip strut_clip(const Body& body) {
  std::vector<Leg> legs;
  for (const Side side : {Side::kLeft, Side::kRight}) {
    std::vector<std::string> roles = body.limb(false, side);
    if (roles.size() >= 3) legs.push_back({std::move(roles), side == Side::kLeft ? 0.0 : 0.5, false});
  }
  return body.record("walk", kStrut_s, [&](double time) {
    const double cycle = time / kStrut_s, angle = kTwoPi * cycle;
    Gesture g;
    g.grounded = false;
    g.shift = {0.02 * std::sin(angle), -0.05 + 0.015 * std::cos(2 * angle), 0};
    g.turns["hips"] = {1.0 * std::sin(2 * angle), 3.0 * std::cos(angle), 2.5 * std::sin(angle)};
    g.turns["chest"] = {0, -2.5 * std::cos(angle), -1.5 * std::sin(angle)};
    g.turns["neck"] = {4.0 * std::sin(2 * angle), 0, 0};
    g.turns["head"] = {-4.0 * std::sin(2 * angle), -0.5 * std::cos(angle), -1.0 * std::sin(angle)};
    wag(body, g, angle, 5, 1.5);
    for (const Leg& leg : legs) {
      double swing = 0;
      Gesture::Step step;
      step.shift = foot_path(fraction(cycle - leg.phase), swing);
      step.turn = {30 * swing, 0, 0};
      g.steps[leg.roles.back()] = step;
      for (std::size_t i = 2; i + 1 < leg.roles.size(); ++i) g.turns[leg.roles[i]] = {-18.0 * swing, 0, 0};
    }
    return g;
  });
}

Clip flap_clip(const Body& body, const std::vector<std::string>& left_wing,
               const std::vector<std::string>& right_wing) {
  const std::vector<Leg> legs = legs_of(body);
  return body.record("flap", kFlap_s, [&](double time) {
    const double angle = kTwoPi * time / kFlap_s;
    Gesture g;
    g.grounded = false;
    // Wings that go down lift the body; the feet stay.
    const double rise = std::sin(angle + 0.5 * kPi + 0.5);
    g.shift = {0, -0.11 - 0.07 * rise, 0.02 * rise};
    g.turns["hips"] = {-8 - 3 * rise, 0, 0};
    g.turns["neck"] = {5 + 3 * rise, 0, 0};
    g.turns["head"] = {4 + 2 * rise, 0, 0};
    for (int k = 1; body.has("tail_" + std::to_string(k)); ++k)
      g.turns["tail_" + std::to_string(k)] = {6 * std::sin(angle - 0.7 * k), 0, 0};
    for (const auto* wing : {&left_wing, &right_wing}) {
      const double sign = wing == &left_wing ? 1 : -1;
      for (std::size_t i = 0; i < wing->size(); ++i) {
        // Each part a little after the one before it; on the way up the outer ones fold back.
        const double lag = angle - 0.75 * static_cast<double>(i);
        const double size = i == 0 ? 40 : 22 / std::sqrt(static_cast<double>(i));
        const double fold = i == 0 ? 0 : 16 * std::max(0.0, std::cos(lag));
        g.turns[(*wing)[i]] = then({0, -sign * -fold, 0}, {0, 0, sign * ((i == 0 ? 8 : 0) + size * std::sin(lag))});
      }
    }
    for (const Leg& leg : legs)
      if (body.has(leg.roles.back()) && !(leg.front && leg.roles == (leg.phase < 0.5 ? left_wing : right_wing)))
        g.steps[leg.roles.back()] = {};
    return g;
  });
}

}  // namespace sinew::motion
