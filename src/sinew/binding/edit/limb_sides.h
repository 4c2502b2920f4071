// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/core/weights.h"

namespace sinew::binding {

struct SidedRows {
  SkinWeights weights;
  Index changed = 0;  ///< Rows that lost an influence.
};

/// Keeps left and right apart on shells that lie on one limb: a boot, a trouser leg, a glove. Limbs are the branches
/// that begin at joints with a mirror partner, below a joint without one. If a shell has less than a fifth as much
/// weight of a limb as of that limb's partner, it loses all of it; the rest of each row is scaled to the sum 1. A row
/// that would lose everything gets the partners of its joints instead. A shell that covers both sides, such as a skirt,
/// is unchanged. `shell_of` has the shell of each vertex, or kNone. Linear. \pre weights has a row for each vertex.
SidedRows separate_sides(const SkinWeights& weights, const Skeleton& skeleton, const std::vector<Index>& shell_of);

}  // namespace sinew::binding
