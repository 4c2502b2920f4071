// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/motion/player.h"

namespace sinew::motion {

/// Returns a clip with keys at the given times, relative to the first of them, sampled from the player's clip and the
/// drivers of the rig. Tracks that never change keep one key. \pre the times increase.
Clip resampled(const Rig& rig, const Player& player, std::span<const double> times_s, const std::string& name);

/// Returns how many keys per second a clip has if all its keys are evenly spaced: on a grid with a key of some track at
/// every point. Empty for a clip of fewer than two keys and for one whose keys lie otherwise.
std::optional<double> key_rate(const Clip& clip);

/// Returns the times 0, 1/rate, … up to `duration_s`, and `duration_s` itself in place of one that nearly equals it.
/// \throws Error if there are more than ten million.
std::vector<double> even_times(double duration_s, double rate);

}  // namespace sinew::motion
