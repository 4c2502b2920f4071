// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/transfer/biharmonic/shell.h"
#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// Vertices of two shells that correspond.
struct Landmarks {
  std::vector<Index> reference, target;
  std::vector<std::string> names;

  std::size_t size() const { return reference.size(); }
};

/// Proposes landmarks from the joints that both characters have: the ends of limbs, farthest from each other along the
/// skeleton, at most five; then joints in the middle of limbs. At an end the landmark is where the last bone leaves the
/// skin, elsewhere where the forward direction does, rotated with the bone. Pairs of joints whose landmarks fall on one
/// vertex are left out.
Landmarks propose_landmarks(const Reference& reference, const MainShell& ours, const TransferBody& target,
                            const MainShell& theirs, const Correspondence& correspondence,
                            const std::vector<std::vector<PairedBone>>& bones, std::size_t count);

/// The vertices nearest to given positions. \throws Error for fewer than four pairs, or two of them at one vertex.
Landmarks given_landmarks(const std::vector<LandmarkPair>& given, const MainShell& ours, const MainShell& theirs);

/// Doubts about landmarks: pairs that belong to different limbs, such as a left and a right hand (a warning each,
/// transfer.landmark), and distances between them that do not correspond (transfer.landmarks). The distances are from
/// the landmarks (columns) to all vertices of each shell.
Findings check_landmarks(const Landmarks& landmarks, const Correspondence& correspondence,
                         const std::vector<NearestBone>& our_bones, const std::vector<NearestBone>& their_bones,
                         const Eigen::MatrixXd& our_distances, const Eigen::MatrixXd& their_distances);

}  // namespace sinew::transfer
