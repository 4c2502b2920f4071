// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/segmentation.h"
#include "sinew/core/skeleton.h"

namespace sinew::deform {

/// The twist of `q` about `axis` (unit length). Of all values that differ by full turns, it is the one nearest to
/// `expected_rad`. If `q` swings the axis by half a turn the twist is undefined, and the result is `expected_rad`
/// itself.
double nearest_twist_rad(const Quat& q, const Vec3& axis, double expected_rad);

/// By how much the twist about `about` grows, followed without a jump, while q turns by `angle_rad` about `axis`, in
/// its own frame: from that of q to that of q·rotation(axis, angle_rad). Exact for any number of turns: the scalar part
/// and the part along `about` run round an ellipse. Where that is flat (`q` takes one axis at right angles to the other
/// and on) a turn has no side.
double twist_gain_rad(const Quat& q, const Vec3& axis, double angle_rad, const Vec3& about);

/// A joint on the way from one joint of a `TwistTree` to the next.
struct TwistLink {
  Index joint = kNone;
  Index parent = kNone;       ///< In the skeleton.
  Vec3 bone = Vec3::UnitY();  ///< The axis of the pose's own twist: `bone_axis`.
};

/// A joint whose twist is spread over the bone that ends in it, as it was at binding, in model space.
struct TwistJoint {
  Index joint = kNone;       ///< Of the skeleton.
  Index parent = kNone;      ///< Of the tree.
  Vec3 axis = Vec3::Zero();  ///< Along the incoming bone; zero where there is none, and then all its turning is swing.
  Vec3 origin = Vec3::Zero();
  Mat4 inverse_bind = Mat4::Identity();
  Vec3 axis_local = Vec3::Zero();     ///< `axis` in the joint's frame.
  double handedness = 1;              ///< −1 where that frame is a mirrored one.
  Quat bind_turn = Quat::Identity();  ///< Of its frame in its parent's.
  std::vector<TwistLink> path;        ///< From below the parent down to itself.
  double spread = 1;                  ///< Share of its twist that is spread; the rest counts as swing.
  bool bends_untwisted = false;       ///< A rotation about an axis nearly across the bone has no twist.
};

/// The joints that the bones of a segmentation connect, as one skin has them at binding. Joints between them are
/// skipped.
struct TwistTree {
  /// One per segment of the segmentation.
  struct Bone {
    Index start = kNone;  ///< Of `joints`.
    Index end = kNone;    ///< kNone for an end segment.
    /// Whose twist the bone takes up: `end`, and with it a joint at the same place that goes on from there.
    std::vector<Index> twisting;
  };
  std::vector<TwistJoint> joints;  ///< Parents first.
  std::vector<Bone> bones;
  std::vector<Index>
      of_joint;  ///< Per joint of the skeleton: of the tree's joints that itself or the nearest above; or kNone.

  /// Whether a bone lies beyond the far end of another.
  bool is_beyond(Index bone, Index other) const;
};

/// The tree of a segmentation for joints bound at `bind` (frame to model space). \throws Error if a segment joins
/// joints that are not above each other, or two end in one joint. `spread` has a share for each joint of the skeleton,
/// or is empty: 1 for all.
TwistTree make_twist_tree(const Skeleton& skeleton, const std::vector<Segmentation::Segment>& segments,
                          const std::vector<Mat4>& bind, double size, std::span<const float> spread = {},
                          bool bends_untwisted = false);

/// The effect of twists on a tree in one frame.
struct TwistPose {
  std::vector<double> angle_rad;  ///< Per joint of the tree: its twist about `axis` away from binding, times `spread`.
  std::vector<Mat4> twisted;  ///< Per joint: Ω, where it would be if joints could only twist; rest space to rest space.
  std::vector<Mat3> motions;      ///< Per joint: binding to posed model space, without the translation.
  std::vector<Index> half_turns;  ///< Joints of the tree that swing by half a turn, so that their twist is a guess.
  std::vector<double> pairs;      ///< Scratch: what `nearest_turns` reads and writes.
};

/// The twists of a pose. Each is that of the joint's rotation relative to its parent, away from binding: taken from the
/// matrices, and which of its full turns from `ModelPose::twist_rad`. That counts turns about another axis, the joint's
/// own bone, and away from rest; the turns about the incoming bone follow by `twist_gain_rad`, those of joints that
/// were passed over added. Without `twist_rad` twists lie in [−π, π]. Matrices with scale count by their polar
/// rotation; a joint that mirrors or flattens has no twist. With `bends_untwisted` a rotation about an axis nearly
/// across the bone (more than about 66° from it) is a bend, without any twist; from 45° on it counts in full, and
/// twists of half a turn and more always do. Linear in the joints.
void twist_pose(const TwistTree& tree, const ModelPose& pose, TwistPose& result);

}  // namespace sinew::deform
