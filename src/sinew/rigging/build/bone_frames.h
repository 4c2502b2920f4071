// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// Per joint of a plan, the child that continues its chain, or kNone: by role for limbs and trunk, the middle finger
/// for a hand, otherwise an only child. If a joint without an end has several children, it is the child that lies most
/// nearly in the direction of the incoming bone.
std::vector<Index> next_joints(const SkeletonPlan& plan);

/// Per joint of a plan, its axes in model space, as columns: +Y along the bone, +Z the bend axis. A positive rotation
/// about +Z is the natural bend on both sides: the right side is the mirror image of the left with +Z reversed, exactly
/// so in a symmetric plan. If the plan gives no bend axis:
/// - Knees and elbows use the normal of the plane of the bent limb, and so do thighs and upper arms. A limb that is
///   bent the wrong way by less than 20° is treated as a straight one that bends the right way.
/// - Straight legs, feet, trunk, head and tail bend about the left axis of the body.
/// - Straight arms in a T pose bend about −up, so that hands come forward. Hands and fingers bend about −forward, or
///   about the direction from the index to the little finger if both exist, so that they close. Thumbs bend across the
///   palm. For arms that do not point to the side, these axes rotate by the smallest rotation that takes the arm from
///   there to its direction.
/// - Front legs of a body with a horizontal trunk bend as legs do, elbows forward.
/// - Joints without a role bend about the left axis, and along a chain the axis rotates as little as possible.
std::vector<Mat3> bone_frames(const SkeletonPlan& plan);

}  // namespace sinew::rigging
