// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {

/// A leg that stands on the ground.
struct LegJoints {
  Index thigh = kNone, shin = kNone, foot = kNone;
  Index toes = kNone;        ///< kNone if the skeleton has none.
  Vec3 ball = Vec3::Zero();  ///< The point that stays where the foot stands, at rest: toes, or the end of the foot.
  bool complete() const { return thigh != kNone && shin != kNone && foot != kNone; }
};

/// A skeleton at rest with the measures that another body needs to move like it.
struct BodyFrame {
  const Skeleton* skeleton = nullptr;
  Recognition recognition;
  std::vector<Mat4> rest;           ///< Model-space matrices of the joints.
  std::vector<Quat> rest_rotation;  ///< Their rotations.
  Mat3 axes = Mat3::Identity();     ///< Columns: left, up and forward of the body, in model space.
  std::array<LegJoints, 2> legs;    ///< Left and right.
  double leg_length = 1;            ///< From hip to ankle, along the bones; without legs, half the skeleton's height.
  double ground = 0;                ///< The lowest point of legs and feet at rest, along up.

  Vec3 place(Index joint) const { return rest[joint].topRightCorner<3, 1>(); }
  Vec3 up() const { return axes.col(1); }
  /// The joint of a role's name, such as "left_thigh"; kNone if there is none.
  Index find(BodyPart part, Side side = Side::kMiddle, int number = 1) const {
    return recognition.find(part, side, number);
  }
};

/// Measures the skeleton of a rig, which must outlive the result. Roles are recognized by names or, where these say too
/// little, by shape.
BodyFrame body_frame(const Rig& rig);

/// Returns the rotation in a matrix.
Quat rotation_part(const Mat4& m);

}  // namespace sinew::motion
