// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The gestures of the built-in clips. Times in seconds; all of one duration begin and end alike.

#include "sinew/motion/gestures/body.h"

namespace sinew::motion {

constexpr double kIdle_s = 4, kWalk_s = 1, kRun_s = 0.7, kWave_s = 2, kBeastWalk_s = 1.2, kFlap_s = 0.8, kStrut_s = 1;
constexpr double kJump_s = 1.5, kSit_s = 4, kLook_s = 4.6, kTurn_s = 1.25, kTrot_s = 0.7, kBeastIdle_s = 4,
                 kGlide_s = 3;

Clip idle_clip(const Body& body);
Clip walk_clip(const Body& body);
Clip run_clip(const Body& body);
Clip wave_clip(const Body& body);
Clip jump_clip(const Body& body);
Clip sit_clip(const Body& body);
Clip look_around_clip(const Body& body);
Clip turn_clip(const Body& body);
Clip beast_walk_clip(const Body& body);
/// Diagonal pairs of legs step together.
Clip trot_clip(const Body& body);
Clip beast_idle_clip(const Body& body);
/// The walk of a body on two legs that does not stand upright: a bird, a tyrannosaur.
Clip strut_clip(const Body& body);
/// `wings`: the roles of each wing from the body outwards, left and right.
Clip flap_clip(const Body& body, const std::vector<std::string>& left_wing, const std::vector<std::string>& right_wing);

/// Spread wings that hardly move, and legs drawn up.
Clip glide_clip(const Body& body, const std::vector<std::string>& left_wing,
                const std::vector<std::string>& right_wing);

}  // namespace sinew::motion
