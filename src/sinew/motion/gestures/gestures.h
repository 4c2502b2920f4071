// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The gestures of the built-in clips. Times in seconds; all of one duration begin and end alike.

#include "sinew/motion/gestures/body.h"

namespace sinew::motion {

constexpr double kIdle_s = 4, kWalk_s = 1, kRun_s = 0.7, kWave_s = 2, kBeastWalk_s = 1.2, kFlap_s = 0.8, kStrut_s = 1;

Clip idle_clip(const Body& body);
Clip walk_clip(const Body& body);
Clip run_clip(const Body& body);
Clip wave_clip(const Body& body);
Clip beast_walk_clip(const Body& body);
/// The walk of a body on two legs that does not stand upright: a bird, a tyrannosaur.
Clip strut_clip(const Body& body);
/// `wings`: the roles of each wing from the body outwards, left and right.
Clip flap_clip(const Body& body, const std::vector<std::string>& left_wing, const std::vector<std::string>& right_wing);

}  // namespace sinew::motion
