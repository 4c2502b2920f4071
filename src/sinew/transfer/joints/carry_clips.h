// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/clip.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// A clip of the reference for a target that has got its rig. Every joint that both have (`of_reference` as in
/// `AddedJoints`) turns in model space as its partner does, allowing for how their bones correspond, so that limbs
/// point where the reference's point, also from another rest pose. The first paired joint, and any other without a
/// paired one above, moves as the reference's does, scaled by the ratio of the heights of the first one above the
/// lowest vertex, or of the mesh's sizes where it stands lower than a fifth of these. Joints that were added, and
/// paired ones that move by more than 1e-3 of the size against their parents in the clip, or whose parents move no skin
/// (hips below a root), move as the reference's, as much more or less as they lie further from them; added ones scale,
/// too. Paired ones whose parent in the target's tree is not the pair they hang on (`JointPair::parent`) stay with that
/// one. Joints without a partner and driven ones stay as they are. Morph weights are left out. Keys at all times of the
/// reference's keys, straight between them; tracks only for what leaves its rest. Not a motion retargeting: feet may
/// slide, arms may enter a wider body. Keys × joints. \pre the clip is valid for the reference. \throws Error if
/// drivers cannot be evaluated.
Clip carried_clip(const Clip& clip, const TransferBody& reference, const TransferBody& target,
                  const Correspondence& correspondence, const std::vector<Index>& of_reference,
                  Directions directions = Directions::kPositions);

}  // namespace sinew::transfer
