// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {

/// One joint that rotates by one angle while all others stay.
struct RangePose {
  std::string
      group;  ///< The part of the body: "elbow", "knee", "hip", "shoulder", "neck", "forearm", "tail" or "other".
  std::string move;  ///< The direction, such as "bend", "raise" or "twist".
  Index joint = kNone;
  bool twist = false;  ///< About the bone that ends in the joint; otherwise across its own bone.
  double angle_rad = 0;
  Vec3 axis = Vec3::UnitY();  ///< In model space, in the pose that all joints start from. Unit length.
};

enum class RangeDetail {
  kTest,      ///< The test of `sinew measure --rom`: main joints in their natural directions, both sides of the body.
  kThorough,  ///< Also other directions of these joints, and every other joint that moves skin.
};

/// Poses that cover the range of motion of a character, by the roles of its joints: elbows, knees, hips, shoulders and
/// the neck bend by 60, 90 and 120°, forearms, neck and tail twist by 90 and 180°. `frames` are the joints (joint to
/// model space) in the pose to start from, and `moves` tells which joints move skin. If no joint has a role, all joints
/// between two bones take part. A joint that does not carry the next one of its limb, because that follows a target of
/// its own, is left out. Linear in the joints for each pose.
std::vector<RangePose> range_of_motion(const Skeleton& skeleton, const Recognition& recognition,
                                       const std::vector<Mat4>& frames, const std::vector<char>& moves,
                                       RangeDetail detail = RangeDetail::kTest);

/// The frames of all joints with that joint rotated. Joints below it follow.
std::vector<Mat4> turned_frames(const Skeleton& skeleton, const std::vector<Mat4>& frames, const RangePose& pose);

}  // namespace sinew::motion
