// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Which joint is which part of the body: by the names that programs and standards give, or by words in names and the
/// shape of the skeleton. What is found is used for built-in clips and to match skeletons.

#include <string>
#include <vector>

#include "sinew/core/skeleton.h"

namespace sinew::motion {

enum class BodyPart {
  kNone,
  kHips,
  kSpine,
  kChest,
  kNeck,
  kHead,
  kJaw,
  kEye,
  kEar,
  kTail,
  kShoulder,
  kUpperArm,
  kForearm,
  kHand,
  kThumb,
  kIndex,
  kMiddle,
  kRing,
  kLittle,
  kThigh,
  kShin,
  kFoot,
  kToes,
  kWing
};

enum class Side { kMiddle, kLeft, kRight };

/// The part of the body a joint moves.
struct JointRole {
  BodyPart part = BodyPart::kNone;
  Side side = Side::kMiddle;
  int number = 1;  ///< Along the chain, from the body outwards, where several joints share a part.

  bool empty() const { return part == BodyPart::kNone; }
  bool operator==(const JointRole&) const = default;
};

/// "left_upper_arm", "spine_2", "right_index_1"; empty for kNone. Parts that come once have no number unless it is
/// above 1.
std::string role_name(const JointRole& role);

/// What kind of body a skeleton has.
enum class Build { kUnknown, kHumanoid, kQuadruped, kBird };
std::string build_name(Build build);

/// What is known about a skeleton.
struct Recognition {
  Build build = Build::kUnknown;
  /// The table whose names fit: "mixamo", "motionbuilder", "vrm", "vroid", "unreal", "rigify", "blender", "sinew",
  /// "biped"; "words" where only words in the names told; empty where nothing did.
  std::string table;
  double coverage = 0;           ///< The share of the 13 parts that every body with four limbs has, which were found.
  double named = 0;              ///< The share of deforming joints that got a role.
  std::vector<JointRole> roles;  ///< One per joint.
  Vec3 up = Vec3::UnitY();       ///< Of the body at rest, in model space; +Y, +Z and +X unless it lies otherwise.
  Vec3 forward = Vec3::UnitZ();
  Vec3 left = Vec3::UnitX();

  /// The joint of a role, or kNone.
  Index find(BodyPart part, Side side = Side::kMiddle, int number = 1) const;
  /// All joints of a part, from the body outwards.
  std::vector<Index> chain(BodyPart part, Side side = Side::kMiddle) const;
};

/// Which roles the joints have and what kind of body that makes. The build is kUnknown, and roles may be few, where
/// names tell too little. Names are compared without regard to case, name spaces ("rig:Hips"), kinds of separators and
/// numbers that exporters append. Joints × names of all tables.
Recognition recognize(const Skeleton& skeleton);

/// The name that a table gives to a role, or an empty text.
std::string joint_name(const std::string& table, const JointRole& role);

}  // namespace sinew::motion
