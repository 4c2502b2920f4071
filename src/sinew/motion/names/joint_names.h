// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Recognizes which part of the body each joint moves, from the naming conventions of programs and standards, or from
/// words in names and the shape of the skeleton. Built-in clips and the matching of skeletons use the result.

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

/// The part of the body that a joint moves.
struct JointRole {
  BodyPart part = BodyPart::kNone;
  Side side = Side::kMiddle;
  int number = 1;  ///< Along the chain, from the body outwards, where several joints share a part.

  bool empty() const { return part == BodyPart::kNone; }
  bool operator==(const JointRole&) const = default;
};

/// Returns a name such as "left_upper_arm", "spine_2" or "right_index_1"; empty for kNone. Parts that occur once have
/// no number unless it is above 1.
std::string role_name(const JointRole& role);

/// The kind of body of a skeleton.
enum class Build { kUnknown, kHumanoid, kQuadruped, kBird, kTailedBiped };
std::string build_name(Build build);

/// The roles and the kind of body recognized in a skeleton.
struct Recognition {
  Build build = Build::kUnknown;
  /// The naming convention that matches: "mixamo", "motionbuilder", "vrm", "vroid", "unreal", "rigify", "blender",
  /// "sinew", "biped"; "words" if only words in the names were recognized; empty if nothing was.
  std::string table;
  double coverage = 0;           ///< The share found of the 13 parts that every body with four limbs has.
  double named = 0;              ///< The share of deforming joints that have a role.
  std::vector<JointRole> roles;  ///< One per joint.
  Vec3 up = Vec3::UnitY();       ///< Of the body at rest, in model space; by default +Y, +Z and +X.
  Vec3 forward = Vec3::UnitZ();
  Vec3 left = Vec3::UnitX();

  /// Returns the joint of a role, or kNone.
  Index find(BodyPart part, Side side = Side::kMiddle, int number = 1) const;
  /// Returns all joints of a part, from the body outwards.
  std::vector<Index> chain(BodyPart part, Side side = Side::kMiddle) const;
};

/// Determines the roles of the joints and the kind of body. If names are not informative enough, the build is kUnknown
/// and few joints have roles. The comparison of names ignores case, namespaces ("rig:Hips"), kinds of separators and
/// numbers appended by exporters. The cost is joints × names of all tables.
Recognition recognize(const Skeleton& skeleton);

/// Returns the name of a role in a naming convention, or an empty string.
std::string joint_name(const std::string& table, const JointRole& role);

}  // namespace sinew::motion
