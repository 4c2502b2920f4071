// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/clip.h"
#include "sinew/core/skeleton.h"

namespace sinew::motion {

struct ExerciseOptions {
  double seconds_per_move = 0.5;  ///< One bend or twist to both ends of its range and back.
  double longest_s = 60;          ///< Moves become quicker when there are so many that the clip would be longer.
  double range = 1;               ///< Of the usual ranges: 0.5 moves every joint half as far.
};

/// A clip "exercise" that bends and twists every deforming joint through its range, one after another from the root
/// outwards, and back to rest; joints of a pair move together and mirrored, all fingers together. Ranges are those of
/// the part of the body where that is known, else 30° of bend and 45° of twist to either side; a joint's own limits are
/// kept. Ends and driven joints stay still. The clip is as long as its moves: two or three for each joint, pair or row
/// of fingers.
/// \throws Error if the skeleton has no joint to move.
Clip exercise(const Skeleton& skeleton, const ExerciseOptions& options = {});

}  // namespace sinew::motion
