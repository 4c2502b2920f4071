// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Bend joints: a helper joint at an elbow or a knee that preserves the volume there when the joint bends.

#include <span>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/rig.h"

namespace sinew::rigging {

struct BendJointOptions {
  double angle_rad = kPi / 2;  ///< The bend at which the volume equals that of the rest pose.
  /// The most the logarithm of the scale may grow with the square of the angle. 1/8 is a mitre: log(1/cos(θ/2)) ≈ θ²/8.
  double most_growth = 0.125;
  double growth_share = 1;  ///< Of the growth that preserves the volume.
};

/// A helper that `add_bend_joint` added, and what it changes.
struct BendJoint {
  Index joint = kNone;
  Index helper = kNone;
  Index vertices = 0;  ///< Vertices whose rows changed.
  double growth = 0;   ///< Of the logarithm of the scale, per rad².
  double volume_before =
      1;  ///< Of the skin that both joints move, at `angle_rad`, relative to rest: by linear blending as it was,
  double volume_after = 1;  ///< and with the helper.
};

/// Adds a helper to a joint: a child of its parent, at its position, of role "helper", with a polynomial driver. The
/// helper rotates half as far as the joint, and across the bend it grows with the square of the angle, like the plane
/// in which two bent tubes meet: by exp(κ φ²) along one axis across the limb, where φ is the rotation about the other.
/// It therefore does not matter to which side a joint bends. κ is solved for, so that at `angle_rad` about `bend_axis`
/// the volume near the joint equals that at rest.
///
/// For vertices that the joint and its parent share in the ratio s : 1 − s, the helper gets √(1 + ¼²) − √((2s − 1)² +
/// ¼²) of both together, half from each. This is a smooth bell that is 0.78 in the middle and never takes more than
/// there is. Sums of rows stay the same, up to rounding; weights of other joints do not change. The rest pose keeps its
/// shape: the bind matrix of the helper is the mean of what the two joints do there.
///
/// Considered and left out: to move the helper outwards with the square of the angle. That pushes the elbow out and
/// draws the crook in by as much, so the volume hardly changes, and one must know the way the joint bends.
///
/// `strength`, from 0 to 1 per vertex, or empty for 1 everywhere, scales the weight that the helper gets.
///
/// `bend_axis` is in model space, in the pose of the skin. If it is zero, the axis of the bend in the rest pose is
/// used, or any axis across the limb if there is none. `frames` are those of the joints at binding. Rows may grow by
/// one influence. Linear. \pre the rig is valid and has a row per vertex. \throws Error if the joint has no parent or
/// shares no vertices with it.
BendJoint add_bend_joint(Rig& rig, Index joint, const Vec3& bend_axis, const std::vector<Mat4>& frames,
                         const BendJointOptions& options = {}, std::span<const float> strength = {});

/// The share that the helper gets of the weights of a joint and its parent in the ratio s : 1 − s.
double bend_bell(double s);

}  // namespace sinew::rigging
