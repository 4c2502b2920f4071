// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cmath>

#include "sinew/motion/gestures/gestures.h"

#include "sinew/core/angles.h"

namespace sinew::motion {
namespace {

/// How a foot steps: the share of a cycle in which it carries, the way it is carried back, and its height in leg
/// lengths.
struct Pace {
  double on_ground = 0.64, stride = 0.46, height = 0.11;
};
constexpr Pace kTrot = {0.46, 0.52, 0.15};

double fraction(double t) { return t - std::floor(t); }

// A foot at a phase: carried back with the ground, then lifted forward. `swing` is 0 on the ground and 1 in mid air.
Vec3 foot_path(const Pace& pace, double phase, double& swing) {
  swing = 0;
  if (phase < pace.on_ground) return {0, 0, pace.stride * (0.5 - phase / pace.on_ground)};
  const double x = (phase - pace.on_ground) / (1 - pace.on_ground);
  swing = std::pow(std::sin(kPi * x), 2);
  const double eased = x * x * (3 - 2 * x);
  return {0, pace.height * swing, pace.stride * (eased - 0.5)};
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

// A leg on its way, with the joints between knee and foot folding.
void step_leg(Gesture& g, const Leg& leg, const Pace& pace, double phase) {
  double swing = 0;
  Gesture::Step step;
  step.shift = foot_path(pace, fraction(phase), swing);
  step.turn = {(leg.front ? 46 : 34) * swing, 0, 0};
  g.steps[leg.roles.back()] = step;
  // The wrist folds back and the hock forward as the foot swings through.
  const std::size_t between = leg.roles.size() - 3;
  for (std::size_t i = 0; i < between; ++i)
    g.turns[leg.roles[i + 2]] = {(leg.front ? 42.0 : -16.0) * swing / static_cast<double>(between), 0, 0};
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
  for (const Leg& leg : legs) step_leg(g, leg, {}, cycle - leg.phase);
  return g;
}

// Two diagonal pairs in turn; the body springs over each.
Gesture trot(const Body& body, const std::vector<Leg>& legs, double time) {
  const double cycle = time / kTrot_s, angle = kTwoPi * cycle;
  Gesture g;
  g.grounded = false;
  g.shift = {0, -0.060 - 0.028 * std::cos(2 * angle - 2.6), 0};
  g.turns["hips"] = {1.6 * std::sin(2 * angle), 2.0 * std::cos(angle), 1.2 * std::sin(angle)};
  g.turns["spine"] = {-1.2 * std::sin(2 * angle), -2.0 * std::cos(angle), -1.0 * std::sin(angle)};
  g.turns["chest"] = {1.0 * std::sin(2 * angle + 1), -1.2 * std::cos(angle), -0.8 * std::sin(angle)};
  g.turns["neck"] = {-3 + 2.0 * std::sin(2 * angle + 0.4), 0.6 * std::cos(angle), 0};
  g.turns["head"] = {1.5 - 1.8 * std::sin(2 * angle), 0, 0};
  wag(body, g, angle, 6, 4);
  for (const Leg& leg : legs) {
    const bool left = leg.phase < 0.5;
    step_leg(g, leg, kTrot, cycle - (left == leg.front ? 0.0 : 0.5));
  }
  return g;
}

// Stands, breathes, looks about and moves its tail.
Gesture beast_idle(const Body& body, const std::vector<Leg>& legs, double time) {
  const double angle = kTwoPi * time / kBeastIdle_s, breath = std::sin(2 * angle), sway = std::sin(angle);
  const double glance = std::sin(angle - 0.4) * std::abs(std::sin(angle - 0.4));
  Gesture g;
  g.grounded = false;
  g.shift = {0.012 * sway, -0.022 + 0.005 * breath, 0.006 * std::cos(angle)};
  g.turns["hips"] = {0.4 * breath, 0.8 * sway, 0.8 * sway};
  g.turns["spine"] = {-0.6 * breath, -0.6 * sway, -0.6 * sway};
  g.turns["chest"] = {-0.6 * breath, 0.8 * sway, 0};
  g.turns["neck"] = {2.5 * std::sin(angle + 0.8), 9 * glance, 0};
  g.turns["head"] = {1.5 * breath, 12 * glance, 3 * glance};
  g.turns["left_ear"] = {0, 0, 5 * std::pow(std::max(0.0, std::sin(3 * angle)), 4)};
  g.turns["right_ear"] = {0, 0, -5 * std::pow(std::max(0.0, std::sin(3 * angle + 1.2)), 4)};
  wag(body, g, 2 * angle, 8, 1);
  for (const Leg& leg : legs) g.steps[leg.roles.back()] = {};
  return g;
}

}  // namespace

Clip trot_clip(const Body& body) {
  const std::vector<Leg> legs = legs_of(body);
  return body.record("trot", kTrot_s, [&](double time) { return trot(body, legs, time); });
}

Clip beast_idle_clip(const Body& body) {
  const std::vector<Leg> legs = legs_of(body);
  return body.record("idle", kBeastIdle_s, [&](double time) { return beast_idle(body, legs, time); });
}

Clip glide_clip(const Body& body, const std::vector<std::string>& left_wing,
                const std::vector<std::string>& right_wing) {
  return body.record("glide", kGlide_s, [&](double time) {
    const double angle = kTwoPi * time / kGlide_s, bank = std::sin(angle), late = std::sin(angle - 0.8);
    Gesture g;
    g.grounded = false;
    g.shift = {0.05 * late, 0.3 + 0.03 * std::sin(2 * angle), 0};
    g.turns["hips"] = {14 + 1.5 * std::sin(2 * angle), 2 * late, -7 * bank};
    g.turns["neck"] = {-7, 2 * bank, 3 * bank};
    g.turns["head"] = {-6, 3 * bank, 3 * bank};
    for (int k = 1; body.has("tail_" + std::to_string(k)); ++k)
      g.turns["tail_" + std::to_string(k)] = {2 * std::sin(2 * angle - 0.5 * k), 3 * late, 4 * late};
    for (const auto* wing : {&left_wing, &right_wing}) {
      const double sign = wing == &left_wing ? 1 : -1;
      for (std::size_t i = 0; i < wing->size(); ++i) {
        const double flutter = std::sin(2 * angle - 0.9 * static_cast<double>(i));
        g.turns[(*wing)[i]] = {0, 0, sign * ((i == 0 ? 9 : 3) + (i == 0 ? 2.0 : 2.5) * flutter)};
      }
    }
    // The legs are drawn up to the body.
    for (const std::string side : {"left_", "right_"}) {
      g.turns[side + "thigh"] = {26, 0, 0};
      g.turns[side + "shin"] = {32, 0, 0};
      g.turns[side + "foot"] = {40, 0, 0};
    }
    return g;
  });
}

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
      step.shift = foot_path({}, fraction(cycle - leg.phase), swing);
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
