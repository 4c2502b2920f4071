// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/rotation.h"

namespace sinew {

/// Where every joint stands: absolute local transforms, as in glTF, scale inherited by children. The only form relative
/// to the rest pose is `delta`.
struct Pose {
  std::vector<Transform> local;   ///< One per joint of the skeleton.
  std::vector<double> twist_rad;  ///< Unbounded twist about the joint's bone, one per joint, or empty for none.
  std::vector<std::vector<double>> morph_weights;  ///< Per part of the mesh.
};

/// rest⁻¹ · local: what a joint does away from rest, in its own frame.
inline Quat delta_rotation(const Transform& rest, const Transform& local) {
  return rest.rotation.conjugate() * local.rotation;
}

/// A pose with every driver evaluated, in model space: what deformers take.
struct ModelPose {
  std::vector<Mat4> joints;  ///< Joint space to model space.
  std::vector<double> twist_rad;
  std::vector<std::vector<double>> morph_weights;
};

}  // namespace sinew
