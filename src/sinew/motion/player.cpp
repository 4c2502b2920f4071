// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/player.h"

#include <fmt/format.h>

#include <utility>

#include "sinew/core/bone_axis.h"
#include "sinew/motion/sample.h"

namespace sinew::motion {

Player::Player(const Rig& rig, Clip clip) : rig_(rig), clip_(std::move(clip)) {
  const Findings findings = validate(clip_, rig.skeleton.size(), static_cast<Index>(rig.mesh.parts.size()));
  if (!findings.empty())
    throw Error(fmt::format("The clip '{}' does not fit the character: {}", clip_.name, findings.front().text));
  axes_ = bone_axes(rig.skeleton);
  twists_ = unwrap_twists(rig, clip_);
}

Pose Player::at(double time_s) const {
  Pose pose = sample(rig_, clip_, time_s);
  pose.twist_rad.assign(pose.local.size(), 0);
  for (Index j = 0; j < pose.local.size(); ++j) {
    if (twists_[j].empty()) continue;
    const Quat delta = delta_rotation(rig_.skeleton.joints[j].rest, pose.local[j]);
    pose.twist_rad[j] = twists_[j].unwrap(time_s, twist_angle_rad(delta, axes_[j]));
  }
  return pose;
}

}  // namespace sinew::motion
