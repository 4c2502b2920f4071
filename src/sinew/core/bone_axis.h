// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/skeleton.h"

namespace sinew {

/// Returns the unit vector along a joint's bone, in the frame in which the joint rotates: the frame of
/// `delta_rotation`. It is the axis of every twist in `Pose::twist_rad`. A joint's bone points to the first deforming
/// child at a different position, or else to the first child at a different position. The bone of a leaf points to
/// `end_local`, or continues the direction of its parent's bone. A joint without any of these has +Y.
Vec3 bone_axis(const Skeleton& skeleton, Index joint);

/// Returns `bone_axis` of every joint. The cost is linear.
std::vector<Vec3> bone_axes(const Skeleton& skeleton);

}  // namespace sinew
