// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Edits of existing weights. No edit changes rows of rigid parts or the weight of a locked joint. Only
/// `weight_edit_fill.h` fills empty rows, and no edit empties a row. Results are the same for any number of threads.

#include <vector>

#include "sinew/binding/edit/weight_edit_surface.h"
#include "sinew/core/joint_steps.h"
#include "sinew/core/rig.h"

namespace sinew::binding {

/// The vertices and joints that an edit may change.
struct EditScope {
  std::vector<char> editable;  ///< Per vertex: it belongs to a skinned part.
  std::vector<char> locked;    ///< Per joint: its weights must not change.
  std::vector<Index> part;     ///< Per vertex: its part.
  std::vector<std::vector<char>>
      listed;  ///< Per part and joint: the skin of the part lists it. Empty for parts without a skin.
  bool any_locked = false;

  bool may_use(Index vertex, Index joint) const { return !locked[joint] && listed[part[vertex]][joint]; }
};
EditScope edit_scope(const Rig& rig, const std::vector<Index>& locked = {});

/// Gives locked joints the share that they had in `before`. The other joints get the rest, in their proportions. If
/// there is a rest but no joint to take it, the other joints are those of `before`. A missing row has no locked share,
/// so locked joints are removed from it. In all cases the row is scaled to sum 1.
void restore_locked(std::span<const Influence> before, std::vector<Influence>& row, const std::vector<char>& locked);

/// Scales rows to sum 1; rows of rigid parts already do. Missing rows become empty. Weights that are not positive and
/// finite are removed. A locked joint keeps its weight wherever the other joints can make up the sum.
SkinWeights scaled_to_one(const SkinWeights& weights, const EditScope& scope);

/// Removes weights below a share of the row. The largest weight of each row stays.
SkinWeights pruned(const SkinWeights& weights, double threshold, const EditScope& scope);

/// Smooths rows: in each round a row becomes the mean of itself and the mean of its neighbours along the surface.
SkinWeights smoothed_along(const SkinWeights& weights, const EditSurface& surface, int rounds, const EditScope& scope);

/// The effect of a limit on rows with locked joints.
struct UnlockedCap {
  CapResult cap;
  Index filled = 0;  ///< Rows in which locked joints left no room: all others lost their weights.
};

/// `cap_influences` for the rows that an edit may change. All locked joints of a row stay, even if there are more than
/// `count`. \pre rows sum to 1.
UnlockedCap cap_unlocked(const SkinWeights& weights, int count, const EditScope& scope, const JointSteps& steps);

}  // namespace sinew::binding
