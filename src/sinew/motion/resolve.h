// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"
#include "sinew/motion/drivers.h"

namespace sinew::motion {

/// Converts a pose to model space and evaluates all drivers. The result serves every deformer. The cost is linear in
/// the joints. \throws Error if the skeleton's drivers cannot be evaluated (see `Drivers`).
ModelPose resolve(const Skeleton& skeleton, const Pose& pose);

/// The same for many poses of one skeleton: the caller prepares its drivers once.
ModelPose resolve(const Skeleton& skeleton, const Pose& pose, const Drivers& drivers);

}  // namespace sinew::motion
