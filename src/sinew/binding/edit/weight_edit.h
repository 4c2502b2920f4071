// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Edits of weights that are there already. None changes rows of rigid parts, makes an empty row full or a full one
/// empty (but `weight_edit_fill.h`), or changes the weight of a locked joint anywhere. All are the same for any number
/// of threads.

#include <vector>

#include "sinew/binding/edit/weight_edit_surface.h"
#include "sinew/core/rig.h"

namespace sinew::binding {

/// What an edit may touch.
struct EditScope {
  std::vector<char> editable;  ///< Per vertex: it belongs to a skinned part.
  std::vector<char> locked;    ///< Per joint: its weights stay.
  std::vector<Index> part;     ///< Per vertex: its part.
  std::vector<std::vector<char>>
      listed;  ///< Per part and joint: the part's skin has it. Empty for parts without a skin.
  bool any_locked = false;

  bool may_use(Index vertex, Index joint) const { return !locked[joint] && listed[part[vertex]][joint]; }
};
EditScope edit_scope(const Rig& rig, const std::vector<Index>& locked = {});

/// Gives locked joints the share they had in `before` and the others what is left, in their proportions. If there is
/// something left and nobody to take it, the others are those of `before`. A row that was missing has no locked share:
/// locked joints leave it. Rows are scaled to the sum 1 in either case.
void restore_locked(std::span<const Influence> before, std::vector<Influence>& row, const std::vector<char>& locked);

/// Rows scaled to sum 1 (of rigid parts as well; they do). Missing rows become empty. Weights that are no positive
/// numbers go. A locked joint keeps its weight wherever the others can make up the sum.
SkinWeights scaled_to_one(const SkinWeights& weights, const EditScope& scope);

/// Drops weights below a share of the row. The largest of each row stays.
SkinWeights pruned(const SkinWeights& weights, double threshold, const EditScope& scope);

/// Rounds in which each row is mixed half and half with the mean of its neighbours along the surface.
SkinWeights smoothed_along(const SkinWeights& weights, const EditSurface& surface, int rounds, const EditScope& scope);

/// `cap_influences` for the rows that an edit may change. Locked joints of a row stay even if they are more than
/// `count`. \pre rows sum to 1.
CapResult cap_unlocked(const SkinWeights& weights, int count, const EditScope& scope);

}  // namespace sinew::binding
