// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/lab/retargeting/retargeting.h"
#include "sinew/transfer/method.h"

namespace sinew::lab {

/// A reference and a target with the same joints, and the true rows of the target.
struct RetargetPair {
  Character from, to;
  SkinWeights truth;
  transfer::Reference reference;
  transfer::TransferBody target;
  transfer::Correspondence pairs;

  RetargetPair(Character a, Character b, SkinWeights rows);
  RetargetPair(const RetargetPair&) = delete;
  RetargetPair& operator=(const RetargetPair&) = delete;
  transfer::TransferInput input() const { return {reference, target, pairs}; }
};

struct NamedTransfer {
  const char* name;
  MethodChoice method;
};
/// The methods whose results are compared: closest points, by the skeleton, and by biharmonic distance in both forms.
std::vector<NamedTransfer> compared_methods();

/// Half the sum of differences of each row, mean over the vertices.
double mean_difference_of(const SkinWeights& a, const SkinWeights& b);

/// Model-space motions of all joints from rest when every deforming joint turns by up to 45° about a random axis.
std::vector<Mat4> random_motion(const Skeleton& skeleton, unsigned seed);

/// Linear blending.
std::vector<Vec3> blended_positions(const Mesh& mesh, const SkinWeights& weights, const std::vector<Mat4>& motion);

/// Root mean square of the distances between positions by two sets of rows over random poses, relative to the size.
double posed_difference(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& a, const SkinWeights& b,
                        int poses);

}  // namespace sinew::lab
