// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// How directions around whole joints correspond: from the target's model space, at binding, to the reference's.
class JointTurns {
 public:
  /// Of a pair: its bone's turn; of several bones their mean, so that hips do not tilt with one leg.
  JointTurns(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
             const std::vector<std::vector<PairedBone>>& bones);

  /// Of a pair; of kNone the body's.
  const Mat3& of_pair(Index pair) const { return pair == kNone ? body_ : turns_[pair]; }
  /// Of a joint of the reference and its joint in the target: those of a pair, else what takes one frame to the other.
  Mat3 of_joints(Index reference, Index target) const;
  /// The same of the nearest paired joint above, in the reference's tree, which its rotation is relative to; for a
  /// joint that is no pair its own.
  Mat3 of_parents(Index reference, Index target) const;

 private:
  const TransferBody& reference_;
  const TransferBody& target_;
  const Correspondence& correspondence_;
  Mat3 body_;
  std::vector<Mat3> turns_;
};

/// Of all bones with a length in both: the target's lengths added up over the reference's; of the meshes' sizes where
/// there is none.
double mean_length_ratio(const TransferBody& reference, const TransferBody& target,
                         const std::vector<std::vector<PairedBone>>& bones);

}  // namespace sinew::transfer
