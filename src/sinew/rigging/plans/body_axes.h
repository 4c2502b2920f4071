// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/rigging/anatomy/ways.h"

namespace sinew::rigging {

/// The axes of a body: x to its left, y up from the ground, z forward. The plane x = 0 is its mirror plane.
struct BodyAxes {
  Mat3 turn = Mat3::Identity();  ///< From the interior's frame to these axes.
  Vec3 origin = Vec3::Zero();    ///< In the interior's frame: below the middle of the body, on the ground.
  double symmetry = 0;           ///< Share of the inside whose mirror image is inside as well.

  Vec3 to_body(const Vec3& p) const { return turn * (p - origin); }
  Vec3 from_body(const Vec3& p) const { return turn.transpose() * p + origin; }
  /// The same body that faces the other way.
  BodyAxes reversed() const;
};

/// Finds the upright plane that mirrors the body best. Which of the two directions along it is forward stays open. Of
/// planes that are nearly as good, the one across x of the interior's frame is taken, or that across z. `up`: a unit
/// vector. Cost: a few hundred thousand look-ups.
BodyAxes find_mirror_axes(const BodyWays& ways, const Vec3& up);

}  // namespace sinew::rigging
