// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <utility>
#include <vector>

#include "sinew/core/character.h"

namespace sinew::pipeline {

/// Gives the clips of a character whose skeleton was edited to `after`, which has the same clips for the old joints.
/// `new_of` is the number of each old joint, or kNone for one that is gone. Joints with another parent than before get
/// keys that move them as before. Returns the clips that have new tracks behind the others, and the first new one.
std::vector<std::pair<Index, std::size_t>> rebase_clips(const Character& before, const std::vector<Index>& new_of,
                                                        Character& after);

}  // namespace sinew::pipeline
