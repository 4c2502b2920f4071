// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Twist joints: helper joints along a bone that distribute its twist, so that plain linear blending shows the twist
/// without the skin collapsing like a candy wrapper.

#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"

namespace sinew::rigging {

/// A bone that gets twist joints, and the source of its twist.
struct TwistBone {
  Index joint = kNone;  ///< The joint where it begins.
  Index child = kNone;  ///< The joint where it ends: a child of `joint`, or below one.
  /// False: the far joint twists (a hand twists the forearm), and the skin shall follow more and more towards it. True:
  /// the near joint itself twists about the bone (a shoulder twists the upper arm), and the skin shall stay behind near
  /// it.
  bool near = false;
};

/// The remaining share of a cross-section where linear blending passes between neighbours of n joints that share a
/// twist equally: cos²(θ / (2(n + 1))).
double twist_section(double angle_rad, int joints);

/// The fewest twist joints that keep `least_section` of every cross-section; at most 15.
int twist_joints_needed(double angle_rad, double least_section);

/// The bone at rest in the frame of its first joint: the position of its end.
Vec3 twist_bone_local(const Skeleton& skeleton, const TwistBone& bone);

/// The axis of the twist in the frame of the joint it comes from (`child`, or `joint` for a near one), at rest.
Vec3 twist_axis(const Skeleton& skeleton, const TwistBone& bone);

/// The share of the bone's twist that each vertex should follow: 0 before the bone and beside it, 1 beyond it, and on
/// the bone the value in `share` (a harmonic field of the segmentation, or `along`). If the segmentation does not
/// contain the bone, the position along it is used, clamped to 0 and 1, by projection at `frames`, those of the joints
/// at binding.
std::vector<float> twist_places(const Rig& rig, const Segmentation& segmentation, std::span<const float> share,
                                const TwistBone& bone, const std::vector<Mat4>& frames);

/// The helpers that `add_twist_joints` added to one bone.
struct TwistJoints {
  TwistBone bone;
  std::vector<Index> helpers;  ///< From the bone's beginning to its end.
  Index vertices = 0;          ///< Vertices whose rows changed.
};

/// Adds `count` twist joints to a bone: children of its first joint at k/(count + 1) of its length, of role "helper",
/// with a driver of kTwistShare. On a far bone, a helper takes k/(count + 1) of the twist of the child; on a near one
/// it takes back all but that share of the joint's own twist. A helper has the axes of its parent if one of them runs
/// along the bone; otherwise +Y is rotated onto the bone.
///
/// Of each vertex of a skin the weight on the bone's joint, and no other, is dealt out to it and the two helpers (or
/// the helper and the joint) whose shares of the twist lie next to the wanted one. That is chosen so that the mean over
/// the whole row is the vertex's `place`, as far as that can be: joints beyond count as 1, joints before as 0, helpers
/// driven by the far joint as their share. So where a wide blend at the wrist twists the skin already, the helpers do
/// so much less. Rows keep their sums to the bit. The rest pose shows the same shape; skins that list the joint get the
/// helpers with bind matrices that make it so, also where the bind pose is not the rest pose.
///
/// `strength`, from 0 to 1 per vertex, or empty for 1 everywhere, scales the effect: the share of the twist that the
/// weight on the bone's joint follows is between what it was and what `places` requires. (Mixing the old and the new
/// rows instead was rejected: a row of the joint and a helper far from it in angle is thinner than either.)
///
/// Rows may grow by one influence. Mirror partners are not set. Linear. \pre the rig is valid and has a row and a place
/// per vertex. \throws Error if the bone has no length.
TwistJoints add_twist_joints(Rig& rig, const TwistBone& bone, int count, std::span<const float> places,
                             std::span<const float> strength = {});

/// An unused name for a helper of a joint: "LeftForearm" gives "LeftForearmTwist", the second "LeftForearmTwist2";
/// "forearm.L" gives "forearm_twist.L". `number` is 0 for a single helper.
std::string helper_name(const Skeleton& skeleton, const std::string& joint, const std::string& kind, int number);

}  // namespace sinew::rigging
