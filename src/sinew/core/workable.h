// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>

#include "sinew/core/rig.h"

namespace sinew {

/// Largest coordinate and smallest size that methods on surfaces can take: their cubes are numbers in single precision.
inline constexpr double kLargestCoordinate = 1e12;
inline constexpr double kSmallestSize = 1e-12;
/// A joint lies at most this many sizes of the mesh away from it. Real files stay below ten.
inline constexpr double kFarthestJoint = 1000;

/// Says why no method that looks at the surface can work on this rig: coordinates that are too large, a mesh that is
/// too small, joints far away from it, or faces without any area. Nothing for a rig that is fine, or has no mesh.
/// Reading, writing and linear skinning need none of this.
std::optional<Finding> unworkable(const Rig& rig);

/// The gate of every such method. \throws Error with the sentence of `unworkable`.
void require_workable(const Rig& rig);

}  // namespace sinew
