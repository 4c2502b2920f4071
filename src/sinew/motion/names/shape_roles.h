// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/rig.h"
#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {

/// Determines the roles of joints without their names, for skeletons whose joints are only numbered: from the tree, the
/// positions at rest or, if more joints mirror each other there, in the bind pose, and the weights if there are any. +Y
/// is up. Two branches of one joint on both sides of the body are a pair of limbs. The pair that reaches the ground is
/// the legs; with a second one, the body has four of them. What links the pairs is the trunk. Feet and knees decide
/// which way is forward, and so which side is left. Knees and elbows are the joints that divide a limb most evenly.
/// `table` of the result is "shape"; the build is kUnknown where no legs are found. Joints × joints.
Recognition recognize_by_shape(const Rig& rig);

/// Numbers the joints of each part along their chain and determines coverage, the kind of body and its axes, for roles
/// that were found by other means than names.
void judge_body(const Skeleton& skeleton, Recognition& recognition);

}  // namespace sinew::motion
