// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/resolve.h"

namespace sinew::motion {

ModelPose resolve(const Skeleton& skeleton, const Pose& pose) { return resolve(skeleton, pose, Drivers(skeleton)); }

ModelPose resolve(const Skeleton& skeleton, const Pose& pose, const Drivers& drivers) {
  if (drivers.empty()) return {model_matrices(skeleton, pose.local), pose.twist_rad, pose.morph_weights};
  Pose driven = pose;
  drivers.apply(driven);
  return {model_matrices(skeleton, driven.local), std::move(driven.twist_rad), std::move(driven.morph_weights)};
}

}  // namespace sinew::motion
