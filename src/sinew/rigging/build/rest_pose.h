// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Another pose for a character that gets a rig: T, A, or the pose in which its skin was bound.

#include <array>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// The pose of mesh and skeleton in the result.
enum class RestPose {
  kKeep,  ///< As it is.
  kT,     ///< Upper arms, forearms and hands straight to the sides, thighs and shins straight down.
  kA,     ///< Arms 45° down.
};
constexpr auto option_words(RestPose) { return std::array{"keep", "t", "a"}; }

/// A rigid transform in model space for each joint of a plan, which brings it into a pose. Feet keep their rotations in
/// a T pose. The body rises or sinks as its legs become longer or shorter, so that the feet stay on the ground. Joints
/// that the plan lacks are skipped; children follow their parents. Returns an empty list for a plan without arms and
/// legs, and for one whose trunk is not upright. \pre pose is not `kKeep`.
std::vector<Mat4> transforms_to_pose(const SkeletonPlan& plan, RestPose pose);

/// The plan after these transforms, one for each joint: positions, ends and bend axes.
SkeletonPlan transformed_plan(SkeletonPlan plan, const std::vector<Mat4>& transforms);

/// A rigid transform for each vertex: those of its joints (by number in the weights) blended as dual quaternions, in
/// double. Vertices whose joints all stay get exactly the identity.
std::vector<Mat4> blended_transforms(const SkinWeights& weights, const std::vector<Mat4>& joint_transforms);

/// Transforms every vertex by its own matrix, along with normals and morphs.
void transform_vertices(Mesh& mesh, const std::vector<Mat4>& transforms);

/// Brings all parts of a rig's mesh into one pose, with the joints at `frames`: parts that are attached rigidly to a
/// joint are located where the rest pose has it, and skins may have been bound in poses of their own. Vertices that are
/// within a ten-thousandth of the mesh's size of their new position stay exactly. Returns whether any vertex moved.
/// \pre one frame per joint.
bool gather_in_bind_pose(Rig& rig, const std::vector<Mat4>& frames);

}  // namespace sinew::rigging
