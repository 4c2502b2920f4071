// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Bend joints: a helper at an elbow or a knee that keeps the volume there when it bends.

#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/rig.h"

namespace sinew::rigging {

struct BendJointOptions {
  double angle_rad = kPi / 2;  ///< The bend at which the volume shall be that of the rest pose.
  /// The most the logarithm of the scale may grow with the square of the angle. 1/8 is a mitre: log(1/cos(θ/2)) ≈ θ²/8.
  double most_growth = 0.125;
};

/// A helper that `add_bend_joint` added, and what it changes.
struct BendJoint {
  Index joint = kNone;
  Index helper = kNone;
  Index vertices = 0;  ///< Whose rows changed.
  double growth = 0;   ///< Of the logarithm of the scale, per rad².
  double volume_before =
      1;  ///< Of the skin that both joints move, at `angle_rad`, relative to rest: by linear blending as it was,
  double volume_after = 1;  ///< and with the helper.
};

/// Gives a joint a helper: a child of its parent, at its place, of role "helper", with a polynomial driver. It turns
/// half as far as the joint, and across the bend it grows with the square of the angle, as the plane in which two bent
/// tubes meet does: by exp(κ φ²) along one axis across the limb, where φ is the turn about the other. So it does not
/// matter to which side a joint bends, and nothing has to be known of that. κ is solved for, so that at `angle_rad`
/// about `bend_axis` the volume near the joint is what it is at rest.
///
/// Of vertices that the joint and its parent share, s : 1 − s, the helper gets √(1 + ¼²) − √((2s − 1)² + ¼²) of both
/// together, half from each: a smooth bell that is 0.78 in the middle and never takes more than there is. Sums of rows
/// stay, to rounding; other joints' weights stay as they are. The rest pose shows the same shape: the helper's bind
/// matrix is the mean of what the two joints do there.
///
/// Considered and left out: to move the helper outwards with the square of the angle. That pushes the elbow out and
/// draws the crook in by as much, so the volume hardly changes, and one must know the way the joint bends.
///
/// `bend_axis` in model space, as the skin lies; zero if unknown: then that of the rest pose's own bend, else any
/// across the limb. `frames` are the joints' at binding. Rows may grow by one influence. Linear. \pre the rig is valid
/// and has a row per vertex. \throws Error if the joint has no parent or shares no vertices with it.
BendJoint add_bend_joint(Rig& rig, Index joint, const Vec3& bend_axis, const std::vector<Mat4>& frames,
                         const BendJointOptions& options = {});

/// What the helper gets of weights of a joint and its parent that stand s : 1 − s.
double bend_bell(double s);

}  // namespace sinew::rigging
