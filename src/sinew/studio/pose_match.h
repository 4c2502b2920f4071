// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Poses one character like another, so that two files can be compared in one pose.

#include <memory>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"
#include "sinew/motion/retarget/pose_carrier.h"

namespace sinew::studio {

/// Takes poses from one rig to another. Between equal skeletons, local transforms are copied. Where most joints have a
/// namesake, they rotate in model space as these do, from rest, and the topmost of them also follow the position,
/// scaled by the heights; joints without a namesake stay at rest below their parents. Other skeletons are posed by the
/// roles of their joints, as clips are retargeted.
class PoseMatch {
 public:
  /// \pre Both rigs outlive the object. \throws Error if drivers cannot be evaluated.
  PoseMatch(const Rig& from, const Rig& to);

  bool same() const { return same_; }  ///< Joints that move skin are equal: names and rest pose.
  bool by_role() const { return roles_ != nullptr; }
  Index matched() const { return matched_; }      ///< Deforming joints of `to` that follow one of `from`.
  Index deforming() const { return deforming_; }  ///< Deforming joints of `to`.

  /// `pose` and the same in model space. Linear in the joints.
  Pose pose(const Pose& pose, const ModelPose& model) const;

 private:
  struct Roles;
  void match_roles(const Rig& from);

  const Rig* to_;
  std::vector<Index> source_;  // Per joint of `to`.
  motion::PoseCarrier carrier_;
  std::shared_ptr<const Roles> roles_;  // If joints follow by their roles.
  bool same_ = false;
  Index matched_ = 0, deforming_ = 0;
};

}  // namespace sinew::studio
