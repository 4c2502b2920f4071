// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A limb of two bones on which contacts can be counted, for tests and experiments.

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"

namespace sinew::lab {

struct LimbShape {
  double radius = 0.8;
  double length = 3;  ///< Of each of the two bones.
  double blend = 1;   ///< Half the width, in radii, over which weights pass from one joint to the other.
  Index around = 40;  ///< Vertices in a ring.
  Index along = 64;   ///< Rings between the two round ends.
};

/// A closed tube along x with round ends. The joint "upper" is at its beginning and "lower" in its middle.
Rig two_bone_limb(const LimbShape& shape = {});

/// The lower joint turned about an axis.
ModelPose limb_pose(const Rig& limb, const Vec3& axis, double angle_rad);

/// The mesh of a rig with other positions.
Mesh with_positions(const Mesh& mesh, const std::vector<Vec3f>& positions);

}  // namespace sinew::lab
