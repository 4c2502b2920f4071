// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/resolve.h"

namespace sinew::motion {

ModelPose resolve(const Skeleton& skeleton, const Pose& pose) {
  return {model_matrices(skeleton, pose.local), pose.twist_rad, pose.morph_weights};
}

}  // namespace sinew::motion
