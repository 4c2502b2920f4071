// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/rigging/plans/body_axes.h"

namespace sinew::rigging {

/// A part that stands on the ground, cut into level sections from the sole up to where it becomes one with the body or
/// with another leg. Positions are in a body's axes.
struct Leg {
  struct Section {
    double y = 0;
    Vec3 center = Vec3::Zero();
    double width = 0;  ///< Radius of the circle that is as large as the section.
  };
  std::vector<Section> sections;  ///< From the sole upwards.
  Vec3 toe = Vec3::Zero();        ///< The part of the foot that is farthest forward.
  double top = 0;                 ///< Height where it ends.

  Vec3 at(double y) const;  ///< The middle of the section at a height; clamped.
  double width(double y) const;
};

using LegPair = std::array<Leg, 2>;  ///< Left and right.

/// The voxels of a body in its axes.
struct BodyVoxels {
  BodyVoxels(const BodyWays& ways, const BodyAxes& frame);

  const BodyWays& ways;
  BodyAxes frame;
  std::vector<Vec3> places;
  double height = 0;
  double low_z = 0, high_z = 0;
  double half_width = 0;
  double cell = 0;
};

/// What stands on the ground. Voxels are taken from the lowest to the highest, and those that touch are joined: the
/// merge tree of the height. A leg begins at a local minimum near the ground and ends where it meets another one, or
/// where its section widens to that of the body.
std::vector<Leg> find_legs(const BodyVoxels& body);

/// Legs as pairs of left and right, from the rear to the front. What touches the ground in the
/// mirror plane is a tail or a snout and is left out. Empty if the two sides do not have equally many.
std::vector<LegPair> leg_pairs(const BodyVoxels& body, const std::vector<Leg>& legs);

/// Sets where the feet of a pair end in front.
void find_toes(const BodyVoxels& body, LegPair& pair);

/// Whether the feet of a pair are ahead of the legs above them or behind, from −1 to 1. A leg that ends in a point has
/// no foot, and its slant says nothing: 0.
double feet_point_forward(const BodyVoxels& body, const LegPair& pair);

}  // namespace sinew::rigging
