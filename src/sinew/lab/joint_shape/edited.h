// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Joints as a person would shape them, for comparing with.

#include "sinew/core/rig.h"
#include "sinew/pipeline/fit_joints.h"

namespace sinew::lab {

/// Samples of parts whose joints are shaped by a simple rule that a person would follow: both parts end in the same
/// ball about the joint, 5 % smaller than the thinner one. They stand in for joints edited by artists, which the paper
/// compares with and does not publish. Only for joints that were adjusted.
PartSamples edited_samples(const Rig& rig, const pipeline::FitJointsResult& fitted);

/// How far two sets of functions differ from a third at the closures of adjusted joints.
struct Likeness {
  std::size_t joints = 0, closer = 0;  ///< Joints at which the second set is closer than the first.
  double first_mean = 0, second_mean = 0, first_largest = 0, second_largest = 0;  ///< In radii, averaged over joints.
};
Likeness likeness(const Rig& rig, const pipeline::FitJointsResult& fitted, const PartSamples& first,
                  const PartSamples& second, const PartSamples& reference);

}  // namespace sinew::lab
