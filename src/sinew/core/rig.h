// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/skeleton.h"
#include "sinew/core/weights.h"

namespace sinew {

/// How parts of the mesh hang on joints. The bind pose, where the skin was attached, need not be the rest pose.
struct Skin {
  std::string name;
  std::vector<Index> joints;       ///< Of the skeleton.
  std::vector<Mat4> inverse_bind;  ///< Per joint: model space, where the mesh lies, to the joint's frame at binding.
};

/// Mesh, skeleton, weights and bind matrices. Any of them may be empty.
struct Rig {
  Mesh mesh;
  Skeleton skeleton;
  SkinWeights weights;  ///< Raw; one row per vertex of the mesh, or no rows at all.
  std::vector<Skin> skins;
};

/// Per joint of the skeleton the matrix from model space to the joint's frame at binding, for one part: of its skin, or
/// for a rigid part of the joint it hangs on. Joints that do not move the part get the identity.
std::vector<Mat4> inverse_bind_of_part(const Rig& rig, Index part);

/// The model-space joint matrices of the bind pose of a skin: joints the skin does not list keep their rest transform
/// relative to their parent. In this pose the skin is the mesh.
std::vector<Mat4> bind_pose_matrices(const Rig& rig, Index skin);

/// All that is wrong with the mesh, the skeleton and the weights, and between them.
Findings validate(const Rig& rig);

}  // namespace sinew
