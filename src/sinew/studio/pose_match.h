// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Poses one character like another, so that two files can be compared in one pose.

#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"
#include "sinew/motion/retarget/pose_carrier.h"

namespace sinew::studio {

/// Takes poses from one rig to another by the names of joints. Between equal skeletons, local transforms are copied.
/// Otherwise joints rotate in model space as those of the same name do, from rest, and the topmost of them also follow
/// the position, scaled by the heights; joints without a namesake stay at rest below their parents.
class PoseMatch {
 public:
  /// \pre Both rigs outlive the object. \throws Error if drivers cannot be evaluated.
  PoseMatch(const Rig& from, const Rig& to);

  bool same() const { return same_; }             ///< Joints that move skin are equal: names and rest pose.
  Index matched() const { return matched_; }      ///< Deforming joints of `to` that have a namesake.
  Index deforming() const { return deforming_; }  ///< Deforming joints of `to`.

  /// `pose` and the same in model space. Linear in the joints.
  Pose pose(const Pose& pose, const ModelPose& model) const;

 private:
  const Rig* to_;
  std::vector<Index> source_;  // Per joint of `to`.
  motion::PoseCarrier carrier_;
  bool same_ = false;
  Index matched_ = 0, deforming_ = 0;
};

}  // namespace sinew::studio
