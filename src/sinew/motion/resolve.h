// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"

namespace sinew::motion {

/// A pose in model space, once for every deformer. Linear in the joints.
ModelPose resolve(const Skeleton& skeleton, const Pose& pose);

}  // namespace sinew::motion
