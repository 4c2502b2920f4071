// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Converts rows of the reference's joints to rows for a target.

#include <vector>

#include "sinew/core/weights.h"

namespace sinew::transfer {

/// The same rows with other joints: `joint_of[j]` in place of j. Weights of joints that become one are added up.
SkinWeights with_joints(const SkinWeights& rows, const std::vector<Index>& joint_of);

/// Rows in which only the joints in `taken` (per joint) come from `made`: what `before` has of other joints is scaled
/// to fill up the rest. A row that neither has nor had any of `taken` stays to the bit. If there is nothing else to
/// fill the row with, the taken ones are the whole row, or, if there are none, the row stays. At most `most` joints
/// each, 0 for any number. \pre as many rows in both, those of `made` of sum 1.
SkinWeights blended_rows(const SkinWeights& made, const SkinWeights& before, const std::vector<char>& taken, int most);

}  // namespace sinew::transfer
