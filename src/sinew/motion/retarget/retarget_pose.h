// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/motion/retarget/joint_map.h"
#include "sinew/motion/retarget/pose_carrier.h"

namespace sinew::motion {

/// Poses a target as a source is posed, one moment at a time.
class PoseRetargeter {
 public:
  /// `mirrored`: left and right are exchanged. The arguments must outlive the object.
  PoseRetargeter(const BodyFrame& source, const BodyFrame& target, const JointMap& map, bool mirrored);

  /// The target's local transforms for the source's joints in model space; `ground` is the height of the source's
  /// ground in the clip above that of its rest pose.
  std::vector<Transform> pose(const std::vector<Mat4>& model, double ground) const;

  /// The target's joint that travels: its hips, or else the topmost joint with a source; kNone if there is none.
  Index leader() const { return leader_; }
  double scale() const { return scale_; }
  /// Puts feet and hands that are not below their shins or forearms to the ends of their limbs: rigs for inverse
  /// kinematics have their feet below the root. They keep their rotations.
  void attach_loose_ends(std::vector<Transform>& local) const;

 private:
  void find_partners(bool mirrored);
  void find_loose_ends();
  void align();
  Quat aligned(Index joint, const Quat& base) const;
  Vec3 from_source(const Vec3& direction) const;
  void follow_shift(Index joint, CarriedJoint& carried) const;
  void make_carrier();

  const BodyFrame& source_;
  const BodyFrame& target_;
  std::vector<JointSource> sources_;  // Per joint of the target; those of the other side if mirrored.
  Mat3 turn_ = Mat3::Identity();      // From the source's model space to the target's; reflects if mirrored.
  std::vector<Quat> align_;           // Per joint of the target, in model space, before it moves.
  struct LooseEnd {
    Index joint = kNone, holder = kNone;
  };
  std::vector<LooseEnd> loose_;
  PoseCarrier carrier_;
  Index leader_ = kNone;
  double scale_ = 1;
};

}  // namespace sinew::motion
