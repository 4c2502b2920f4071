// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A skeleton as `map_joints` looks at it.

#include <string>
#include <vector>

#include "sinew/motion/names/joint_names.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// The joint to which each joint is attached in the body, per joint: its parent, unless roles show that it belongs
/// elsewhere. In Rigify's rigs the spine that moves the skin is a chain beside the limbs, and in old Biped ones thighs
/// hang on the spine; here thighs hang on hips and arms on the chest. Never a circle.
std::vector<Index> body_parents(const Skeleton& skeleton, const std::vector<motion::JointRole>& roles);

class JointBody {
 public:
  /// Roles are those of the pose at binding. Joints that do not count have none.
  JointBody(const TransferBody& side, std::vector<char> counts);

  const TransferBody& side;
  std::vector<char> counts;
  motion::Recognition known;
  std::vector<Index> parent;              ///< `body_parents`.
  std::vector<std::vector<Index>> below;  ///< Per joint: the nearest ones below it that count.
  std::vector<Index> tops;                ///< Joints that count and have none above that does.
  double size = 1;                        ///< Of the box around joints that count, never 0.
  Vec3 middle = Vec3::Zero();             ///< Of the hips, or the first joint that counts.

  Index count() const { return static_cast<Index>(parent.size()); }
  const std::string& name(Index joint) const { return side.skeleton.joints[joint].name; }
  /// Whether the first is an ancestor of the second, or the same joint.
  bool above(Index a, Index joint) const;
  /// The next joint above that counts, or kNone.
  Index counting_above(Index joint) const;
  /// −1 right, +1 left, 0 in the middle or unknown: by name or role, else by position.
  int side_of(Index joint) const;
  /// Left, up and forward as columns.
  Mat3 axes() const;

 private:
  std::vector<int> side_;
};

}  // namespace sinew::transfer
