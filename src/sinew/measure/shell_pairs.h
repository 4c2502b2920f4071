// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::measure {

/// Shells nearer than this at rest, as a share of the size, shall stay together.
inline constexpr double kCloseShells_rel = 0.004;

/// Pairs of the nearest vertices of two shells, each vertex with its nearest of any other shell within `reach`, sorted.
/// `shell` names the shell of each vertex, or kNone. n log n for vertices that are evenly spread.
std::vector<std::array<Index, 2>> close_shell_pairs(const std::vector<Vec3>& positions, const std::vector<Index>& shell,
                                                    double reach);

}  // namespace sinew::measure
