// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A bar on which the figures of position-based skinning are known, for tests and experiments.

#include <vector>

#include "sinew/deform/pbd/pbd_body.h"

namespace sinew::lab {

/// A bar of length 2 and radius 0.2 along x, in 56 × 8 × 8 cells of six tetrahedra, with two joints in its middle: what
/// lies within 0.35 of that may move, and the weight of the second joint rises smoothly within 0.25.
deform::PbdBody pbd_cylinder();

/// The motions of its two joints when the second turns about an axis through the middle.
std::vector<Mat4> cylinder_motions(const Vec3& axis, double angle_rad);

/// Where its particles go then, by linear blending.
std::vector<Vec3f> blended_cylinder(const deform::PbdBody& body, const Vec3& axis, double angle_rad);

/// Volume of the tetrahedra that may move relative to that at rest, and how many of them are turned inside out.
struct CylinderState {
  double volume = 0;
  Index inverted = 0;
};
CylinderState cylinder_state(const deform::PbdBody& body, const std::vector<Vec3f>& positions);

}  // namespace sinew::lab
