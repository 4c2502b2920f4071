// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/transfer/characters.h"
#include "sinew/transfer/joints/polynomials.h"
#include "sinew/transfer/joints/transferred_driver.h"

namespace sinew::transfer {

/// How far a joint's offset from its bone grows or shrinks from the reference to the target.
enum class Placement {
  kScaled,  ///< Along the bone as its length, across as the distance of the skin there.
  kCopied,  ///< As the reference has it relative to its parent, as published: for equal proportions and axes.
};

/// A target's skeleton with joints of the reference that it did not have.
struct AddedJoints {
  Skeleton skeleton;         ///< The target's joints first, in their order, then the added ones.
  std::vector<Mat4> joints;  ///< Frames at binding.
  std::vector<Index>
      of_reference;  ///< Per joint of the reference: its joint in `skeleton`, paired or added; else kNone.
  Findings warnings;
};

/// Adds joints of the reference (`wanted`, per joint; paired ones are passed over) to the target: each below the
/// nearest joint above it that the target has then, turned as the bones of the nearest paired joint correspond, with
/// role, limits, end, mirror partners and drivers. Of several bones of that joint the one that passes nearest to the
/// added joint counts. Joints at a joint without bones are scaled by the ratio of all bones' lengths, joints below
/// added ones as these; across the bone by the distances of the skin in their direction, between 0.2 and 5, or as the
/// bone's length if a ray meets no skin (finding transfer.place).
///
/// Drivers go over with them: inputs and outputs turned and scaled, re-based where rest poses differ, see
/// `transferred_driver`; one whose source the target lacks is left out with a finding (transfer.driver). Drivers of the
/// target's own joints stay. A name the target has already gets a number. `Joint::deforming` is as in the reference.
/// Rays for the distances of the skin: two per joint.
AddedJoints add_joints(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
                       const std::vector<char>& wanted, Placement placement = Placement::kScaled,
                       Directions directions = Directions::kPositions);

}  // namespace sinew::transfer
