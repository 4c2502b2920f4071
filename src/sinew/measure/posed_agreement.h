// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/progress.h"

namespace sinew::measure {

/// The difference between two sets of weights, measured on the posed skin.
struct PosedAgreement {
  double rms = 0;       ///< m, over all poses and the vertices that a pose moves with either set.
  double max = 0;       ///< m
  Index joint = kNone;  ///< The joint whose rotation causes the maximum.
  Index poses = 0;
};

/// Returns poses that reveal differences of weights: one joint at a time rotates by `angle_rad` about each of its three
/// axes, in one direction. Only joints that move vertices with either set are used.
std::vector<Pose> turning_poses(const Rig& rig, const SkinWeights& other, double angle_rad = 0.785398163397448,
                                std::vector<Index>* joints = nullptr);

/// Poses the rig by linear blending in all `turning_poses`, once with its own weights and once with the others. A
/// vertex counts in a pose if either set moves it by more than a millionth of the size. Linear in vertices times
/// joints. \pre `other` has a row per vertex, of the same joints. \throws Cancelled.
PosedAgreement posed_agreement(const Rig& rig, const SkinWeights& other, const Progress& progress = {});

}  // namespace sinew::measure
