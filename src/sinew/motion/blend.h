// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>

#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"

namespace sinew::motion {

/// Between two poses: `a` at t = 0, `b` at t = 1. Places, scales and morph weights run straight, rotations the short
/// way at constant speed. Where both poses have twists, each joint's swing and its unbounded twist go apart, so that
/// half of one and a half turns is three quarters of a turn; where only one has, the result has none.
/// \pre both have one transform per joint.
Pose blend(const Skeleton& skeleton, const Pose& a, const Pose& b, double t);

/// The mean of any number of poses, whatever their order: rotations by the quaternion that is nearest to all (Markley
/// et al., Averaging Quaternions, 2007). Weights need not sum to 1. \throws Error if none is above zero or counts
/// differ.
Pose blend(const Skeleton& skeleton, std::span<const Pose> poses, std::span<const double> weights);

}  // namespace sinew::motion
