// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Another pose for a character that is being rigged: T, A, or that in which it was bound.

#include <string>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::pipeline {

/// A turn and a shift in model space per joint of a plan: how it gets into a pose. "t": upper arms, forearms and hands
/// straight to the sides, thighs and shins straight down, feet turned as they were; "a": arms 45° down. The body is
/// raised or lowered by what its legs became longer or shorter, so that feet stay on the ground. Joints that are not
/// there are passed over; what hangs on a joint goes along. Returns nothing (an empty list) for a plan without arms and
/// legs, and for one whose trunk is not upright. \pre pose is "t" or "a".
std::vector<Mat4> moves_to_pose(const rigging::SkeletonPlan& plan, const std::string& pose);

/// The plan after these moves: places, ends and bend axes.
rigging::SkeletonPlan moved_plan(rigging::SkeletonPlan plan, const std::vector<Mat4>& moves);

/// A rigid move per vertex: those of its joints (by number in the weights) blended as dual quaternions, in double.
/// Vertices whose joints all stay get exactly the identity.
std::vector<Mat4> blended_moves(const SkinWeights& weights, const std::vector<Mat4>& joint_moves);

/// Moves every vertex by its own matrix, along with normals and morphs.
void move_vertices(Mesh& mesh, const std::vector<Mat4>& moves);

/// Puts all parts of a rig's mesh into one pose, where `frames` (`binding_matrices`) has the joints: parts that hang
/// rigidly on a joint lie where the rest pose has it, and skins may have been bound in poses of their own. Vertices
/// that lie there already, to a ten-thousandth of the size, stay exactly. Returns whether any moved.
bool gather_in_bind_pose(Rig& rig, const std::vector<Mat4>& frames);

}  // namespace sinew::pipeline
