// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/rotation.h"

namespace sinew {

/// The transforms of all joints: absolute local transforms, as in glTF, whose scale is inherited by children. The only
/// form relative to the rest pose is `delta_rotation`.
struct Pose {
  std::vector<Transform> local;   ///< One per joint of the skeleton.
  std::vector<double> twist_rad;  ///< Unbounded twist about the joint's bone, one per joint; empty if there are none.
  std::vector<std::vector<double>> morph_weights;  ///< Per part of the mesh.
};

/// Returns rest⁻¹ · local: the joint's rotation from rest, in its own frame.
inline Quat delta_rotation(const Transform& rest, const Transform& local) {
  return rest.rotation.conjugate() * local.rotation;
}

/// A pose in model space with all drivers evaluated: the input of deformers.
struct ModelPose {
  std::vector<Mat4> joints;  ///< Joint space to model space.
  std::vector<double> twist_rad;
  std::vector<std::vector<double>> morph_weights;
};

}  // namespace sinew
