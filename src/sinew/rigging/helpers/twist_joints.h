// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Twist joints: helper joints along a bone that share its twist out, so that plain linear blending shows it without
/// the skin closing up like the paper of a sweet.

#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"

namespace sinew::rigging {

/// A bone to be given twist joints, and where its twist comes from.
struct TwistBone {
  Index joint = kNone;  ///< Where it begins.
  Index child = kNone;  ///< Where it ends: a child of `joint`, or below one.
  /// False: the far joint twists (a hand twists the forearm), and the skin shall follow more and more towards it. True:
  /// the near joint itself twists about the bone (a shoulder twists the upper arm), and the skin shall stay behind near
  /// it.
  bool near = false;
};

/// What is left of a cross-section where linear blending passes from one to the next of joints that share a twist out
/// equally: cos²(θ / (2(n + 1))) for n of them.
double twist_section(double angle_rad, int joints);

/// The fewest twist joints that keep `least_section` of every cross-section; at most 15.
int twist_joints_needed(double angle_rad, double least_section);

/// The bone as it lies at rest in the frame of its first joint: the place of its end.
Vec3 twist_bone_local(const Skeleton& skeleton, const TwistBone& bone);

/// The axis of the twist in the frame of the joint it comes from (`child`, or `joint` for a near one), at rest.
Vec3 twist_axis(const Skeleton& skeleton, const TwistBone& bone);

/// How much of the bone's twist each vertex shall take part in: 0 before the bone and beside it, 1 beyond it, and on it
/// what `share` says per vertex (a harmonic field of the segmentation, or `along`). Where the segmentation does not
/// have the bone, the place along it within 0 and 1, by projection at `frames`, the joints' at binding.
std::vector<float> twist_places(const Rig& rig, const Segmentation& segmentation, std::span<const float> share,
                                const TwistBone& bone, const std::vector<Mat4>& frames);

/// The helpers that `add_twist_joints` added to one bone.
struct TwistJoints {
  TwistBone bone;
  std::vector<Index> helpers;  ///< From the bone's beginning to its end.
  Index vertices = 0;          ///< Whose rows changed.
};

/// Gives a bone `count` twist joints: children of its first joint at k/(count + 1) of the way, of role "helper", with a
/// driver of kTwistShare. On a far bone that takes k/(count + 1) of the child's twist; on a near one it takes all but
/// that of the joint's own twist back. A helper's axes are those of its parent where one of these runs along the bone,
/// else +Y is turned onto it.
///
/// Of each vertex of a skin the weight on the bone's joint, and no other, is dealt out to it and the two helpers (or
/// the helper and the joint) whose shares of the twist lie next to the wanted one. That is chosen so that the mean over
/// the whole row is the vertex's `place`, as far as that can be: joints beyond count as 1, joints before as 0, helpers
/// driven by the far joint as their share. So where a wide blend at the wrist twists the skin already, the helpers do
/// so much less. Rows keep their sums to the bit. The rest pose shows the same shape; skins that list the joint get the
/// helpers with bind matrices that make it so, also where the bind pose is not the rest pose.
///
/// Rows may grow by one influence. Mirror partners are not set. Linear. \pre the rig is valid and has a row and a place
/// per vertex. \throws Error if the bone has no length.
TwistJoints add_twist_joints(Rig& rig, const TwistBone& bone, int count, std::span<const float> places);

/// A name for a helper of a joint that no joint has yet: "LeftForearm" gives "LeftForearmTwist", the second
/// "LeftForearmTwist2"; "forearm.L" gives "forearm_twist.L". `number` 0 for an only one.
std::string helper_name(const Skeleton& skeleton, const std::string& joint, const std::string& kind, int number);

}  // namespace sinew::rigging
