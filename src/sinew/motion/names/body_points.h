// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/rig.h"

namespace sinew::motion {

/// Joints of a body as points, for finding out what they are without their names: upright along +Y and, as nearly as
/// can be found, symmetric along x or z.
struct BodyPoints {
  std::vector<Vec3> places;  ///< Per joint.
  std::vector<char> kept;    ///< Joints that move something, or have such joints below them.
  std::vector<double> mass;  ///< Vertices that a joint moves.
  std::vector<Vec3> moved;   ///< The sum of their positions.
  bool weighted = false;     ///< Whether any joint moves a vertex.
};

/// Joints in the rest pose or, if more of them mirror each other there, as the skin was bound: many files rest in the
/// middle of a step, but were bound in a T pose. A body that stands at an angle to the axes is turned about +Y. Meshes
/// that are attached to a joint without a mesh of its own count as moved by that joint. Joints × joints.
BodyPoints body_points(const Rig& rig);

/// How many joints have a partner on the other side of a plane across `axis` through `middle`, the median.
Index mirrored_joints(const std::vector<Vec3>& places, const std::vector<char>& kept, int axis, double& middle);

}  // namespace sinew::motion
