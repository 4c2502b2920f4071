// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <string>

#include "sinew/motion/player.h"

namespace sinew::motion {

/// Returns a clip with keys at the given times, relative to the first of them, sampled from the player's clip and the
/// drivers of the rig. Tracks that never change keep one key. \pre the times increase.
Clip resampled(const Rig& rig, const Player& player, std::span<const double> times_s, const std::string& name);

}  // namespace sinew::motion
