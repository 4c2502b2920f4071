// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// Per joint of a plan the child that goes on with its chain, or kNone: of limbs and trunk by role, of a hand the
/// middle finger, else an only child. Where several hang on a joint that has no end, the one that lies most in the
/// direction in which the bone comes.
std::vector<Index> next_joints(const SkeletonPlan& plan);

/// Per joint of a plan its axes in model space, as columns: +Y along the bone, +Z what it bends about. A positive turn
/// about +Z is the natural bend, on both sides: the right side is the mirror image of the left with +Z turned round,
/// exactly so in a symmetric plan. Where the plan gives no bend axis:
/// - knees and elbows take the normal of the plane of the bent limb, and so do thigh and upper arm; a limb bent the
/// wrong way by
///   less than 20° is taken for a straight one that bends the right way;
/// - straight legs, feet, trunk, head and tail bend about the body's left axis;
/// - straight arms in a T pose about −up, so that hands come forward; hands and fingers about −forward, or from the
/// index
///   to the little finger where these are there, so that they close; thumbs across the palm. For arms that do not point
///   to the side these axes turn as little as the arm must turn to get from there to where it points;
/// - front legs of a body whose trunk lies bend as legs do, elbows forward;
/// - what has no role bends about the left axis, and along a chain its axis turns as little as it can.
std::vector<Mat3> bone_frames(const SkeletonPlan& plan);

}  // namespace sinew::rigging
