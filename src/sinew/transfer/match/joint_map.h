// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// How a pair of joints was found.
struct MappedJoint {
  Index reference = kNone, target = kNone;
  std::string by;  ///< "given", "name", "role", "place".
};

struct JointMap {
  std::vector<MappedJoint> joints;  ///< By the reference's joints.
  /// The same as pairs, with how the bodies lie. A pair's parent is that of the body: see `joint_body.h`.
  Correspondence correspondence;
  std::vector<Index> reference_alone;  ///< Joints that count in the reference and have no partner.
  std::vector<Index> target_alone;
  /// Per joint of the reference: the target's joint that replaces it. This is its partner; else that of the nearest
  /// joint above it that has one; else that of the nearest one in space.
  std::vector<Index> heir;
  Findings warnings;
};

/// Which joints of a reference are helpers, per joint: by role or driver, or by a word in the name (twist, helper,
/// roll, corrective, muscle, …) where no other joint that moves skin hangs below.
std::vector<char> helper_joints(const Skeleton& skeleton);

/// Which joints count as primary, per joint: those in `moves_skin` that are no helpers; and those between or above them
/// where the tree needs them: with such joints above and below, with a helper that moves skin right below, or where two
/// branches with such joints part.
std::vector<char> primary_joints(const Skeleton& skeleton, const std::vector<char>& moves_skin,
                                 const std::vector<char>& helpers);

/// Maps the primary joints of a reference (`reference_counts`, per joint) to a target's: first those given by name (an
/// empty name leaves a joint of the reference without a partner), then equal names (without name spaces, case,
/// separators), then equal roles (`motion::recognize`), then places in chains between joints that are mapped, or below
/// them: one to one where chains have as many joints, else by share of the length. Left and right are never crossed. A
/// pair that would turn the trees upside down is dropped, with a finding (transfer.map_dropped). Given joints need not
/// count. \throws Error if a given name does not exist (the message suggests the nearest), if given pairs contradict
/// each other, or if fewer than two joints are mapped. About joints².
JointMap map_joints(const TransferBody& reference, const std::vector<char>& reference_counts,
                    const TransferBody& target, const std::vector<char>& target_counts,
                    const std::map<std::string, std::string>& given = {});

}  // namespace sinew::transfer
