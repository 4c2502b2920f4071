// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/match/joint_turns.h"

#include "sinew/core/rotation.h"

namespace sinew::transfer {

JointTurns::JointTurns(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
                       const std::vector<std::vector<PairedBone>>& bones)
    : reference_(reference), target_(target), correspondence_(correspondence), body_(correspondence.turn) {
  for (const std::vector<PairedBone>& of_pair : bones) {
    if (of_pair.size() == 1) {
      turns_.push_back(of_pair.front().turn);
      continue;
    }
    Mat3 sum = Mat3::Zero();
    for (const PairedBone& bone : of_pair) sum += bone.turn;
    turns_.push_back(polar(sum).rotation);
  }
}

Mat3 JointTurns::of_joints(Index reference, Index target) const {
  const Index pair = correspondence_.of_reference(reference);
  if (pair != kNone && correspondence_.pairs[pair].target == target) return turns_[pair];
  return reference_.frame(reference) * target_.frame(target).transpose();
}

Mat3 JointTurns::of_parents(Index reference, Index target) const {
  const Index pair = correspondence_.of_reference(reference);
  if (pair == kNone || correspondence_.pairs[pair].target != target) return of_joints(reference, target);
  Index above = kNone;
  for (Index j = reference_.skeleton.joints[reference].parent; j != kNone && above == kNone;
       j = reference_.skeleton.joints[j].parent)
    above = correspondence_.of_reference(j);
  return of_pair(above);
}

double mean_length_ratio(const TransferBody& reference, const TransferBody& target,
                         const std::vector<std::vector<PairedBone>>& bones) {
  double of_target = 0, of_reference = 0;
  for (const auto& of_pair : bones)
    for (const PairedBone& bone : of_pair) of_target += bone.target_length(), of_reference += bone.reference_length();
  if (!(of_target > 0 && of_reference > 0)) of_target = target.mesh.size(), of_reference = reference.mesh.size();
  return of_target > 0 && of_reference > 0 ? of_target / of_reference : 1;
}

}  // namespace sinew::transfer
