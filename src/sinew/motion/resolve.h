// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"
#include "sinew/motion/drivers.h"

namespace sinew::motion {

/// A pose in model space, once for every deformer, with all driven joints where their drivers put them. Linear in the
/// joints. \throws Error if the skeleton's drivers cannot be evaluated (see `Drivers`).
ModelPose resolve(const Skeleton& skeleton, const Pose& pose);

/// The same for many poses of one skeleton: its drivers are put in order once, by the caller.
ModelPose resolve(const Skeleton& skeleton, const Pose& pose, const Drivers& drivers);

}  // namespace sinew::motion
