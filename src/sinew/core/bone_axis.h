// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/skeleton.h"

namespace sinew {

/// The unit vector along a joint's bone, in the frame in which the joint turns: the one in which `delta_rotation` is a
/// rotation. It is the axis of every twist in `Pose::twist_rad`. A joint's bone goes to the first child that lies away
/// from it and deforms, or else to the first that lies away from it; a leaf's goes to `end_local`, or on in the
/// direction in which it came. A joint of which nothing is known has +Y.
Vec3 bone_axis(const Skeleton& skeleton, Index joint);

/// The same for all joints. Linear.
std::vector<Vec3> bone_axes(const Skeleton& skeleton);

}  // namespace sinew
