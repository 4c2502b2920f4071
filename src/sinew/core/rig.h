// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/skeleton.h"
#include "sinew/core/weights.h"

namespace sinew {

/// The binding of mesh parts to joints. The bind pose, in which the skin was attached, may differ from the rest pose.
struct Skin {
  std::string name;
  std::vector<Index> joints;       ///< Indices into the skeleton.
  std::vector<Mat4> inverse_bind;  ///< Per joint: from model space, where the mesh is located, to its bind frame.
};

/// Mesh, skeleton, weights and bind matrices. Any of them may be empty.
struct Rig {
  Mesh mesh;
  Skeleton skeleton;
  SkinWeights weights;  ///< Raw; one row per vertex of the mesh, or no rows at all.
  std::vector<Skin> skins;
};

/// Returns, for one part, the matrix from model space to the bind frame of each joint of the skeleton. It comes from
/// the part's skin or, for a rigid part, from the joint to which the part is attached. Joints that do not move the part
/// get the identity.
std::vector<Mat4> inverse_bind_of_part(const Rig& rig, Index part);

/// Returns the model-space joint matrices of the bind pose of a skin. Joints that the skin does not list keep their
/// rest transform relative to their parent. In this pose skinning reproduces the mesh.
std::vector<Mat4> bind_pose_matrices(const Rig& rig, Index skin);

/// Returns all problems of the mesh, the skeleton and the weights, and inconsistencies between them.
Findings validate(const Rig& rig);

}  // namespace sinew
