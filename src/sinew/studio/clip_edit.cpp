// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/clip_edit.h"

#include <algorithm>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/animate.h"
#include "sinew/studio/wire.h"

namespace sinew::studio {
namespace {

constexpr double kMostArmSpace_deg = 90;

/// Turns all keys of a joint by a rotation in the frame of its parent, so that the turn is the same at every time.
void turn_keys(Clip& clip, const Skeleton& skeleton, Index joint, const Quat& turn) {
  const auto is_its = [&](const Track& track) { return track.path == Track::Path::kRotation && track.target == joint; };
  auto track = std::find_if(clip.tracks.begin(), clip.tracks.end(), is_its);
  if (track == clip.tracks.end()) {
    const Eigen::Vector4d q = skeleton.joints[joint].rest.rotation.coeffs();
    Track still;
    still.path = Track::Path::kRotation;
    still.target = joint;
    still.times_s = {0};
    for (const double value : q) still.values.push_back(static_cast<float>(value));
    clip.tracks.push_back(std::move(still));
    track = clip.tracks.end() - 1;
  }
  for (std::size_t at = 0; at + 3 < track->values.size(); at += 4) {
    // Tangents are differences of quaternions; the product is linear, so they turn in the same way.
    const std::array<double, 4> v = {track->values[at], track->values[at + 1], track->values[at + 2],
                                     track->values[at + 3]};
    const Quat turned = turn * Quat(v[3], v[0], v[1], v[2]);
    for (std::size_t k = 0; k < 4; ++k)
      track->values[at + k] = static_cast<float>(turned.coeffs()[static_cast<Eigen::Index>(k)]);
  }
}

void spread_arms(Clip& clip, const Skeleton& skeleton, double angle_rad) {
  const motion::Recognition body = motion::recognize(skeleton);
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  for (const motion::Side side : {motion::Side::kLeft, motion::Side::kRight}) {
    const std::vector<Index> arm = body.chain(motion::BodyPart::kUpperArm, side);
    if (arm.empty()) continue;
    const Index parent = skeleton.joints[arm.front()].parent;
    const Quat above = parent == kNone ? Quat::Identity() : decompose(rest[parent]).transform.rotation;
    // The left arm, at the character's left, rises with a positive turn about forward.
    const double angle = side == motion::Side::kLeft ? angle_rad : -angle_rad;
    const Quat turn(Eigen::AngleAxisd(angle, body.forward.normalized()));
    turn_keys(clip, skeleton, arm.front(), (above.conjugate() * turn * above).normalized());
  }
}

}  // namespace

ClipChange clip_change(const Json& json) {
  ClipChange change;
  change.mirror = flag_of(json, "mirror", false);
  change.in_place = flag_of(json, "in_place", false);
  const double degrees = number_of(json, "arm_space", 0);
  if (std::abs(degrees) > kMostArmSpace_deg) throw Error("The arm space must be between -90 and 90 degrees.");
  change.arm_space_rad = radians(degrees);
  return change;
}

Clip changed_clip(const Rig& rig, const Clip& clip, const ClipChange& change) {
  Clip result = clip;
  if (change.mirror || change.in_place) {
    pipeline::AnimateOptions options;
    options.retarget.mirrored = change.mirror;
    if (change.in_place) options.retarget.root_motion = motion::RootMotion::kInPlace;
    result = pipeline::retarget_clip(rig, clip, rig, options).clip;
    result.name = clip.name;
  }
  if (change.arm_space_rad != 0) spread_arms(result, rig.skeleton, change.arm_space_rad);
  return result;
}

}  // namespace sinew::studio
