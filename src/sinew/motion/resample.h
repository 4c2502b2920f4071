// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <string>

#include "sinew/motion/player.h"

namespace sinew::motion {

/// A clip with keys at the given times, counted from the first of them: what the player's clip and the drivers of the
/// rig do there. Tracks that never change keep one key. \pre the times rise.
Clip resampled(const Rig& rig, const Player& player, std::span<const double> times_s, const std::string& name);

}  // namespace sinew::motion
