// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>

#include "sinew/core/math.h"

namespace sinew::geometry {

using TrianglePoints = std::array<Vec3, 3>;

/// Whether two closed triangles have a point in common, decided exactly (see `predicates.h`): crossing, touching and
/// overlapping in one plane all count. A triangle without area meets nothing.
bool triangles_intersect(const TrianglePoints& a, const TrianglePoints& b);

/// The same for neighbours: whether two triangles have a point in common besides the corner or the edge that they share
/// (by bit-equal corners), decided exactly. With a common corner: one passes through the other, or they overlap in one
/// plane. With a common edge: they lie in one plane on the same side of it, folded flat. With all three corners in
/// common: always. Without any it is `triangles_intersect`.
bool triangles_meet_elsewhere(const TrianglePoints& a, const TrianglePoints& b);

}  // namespace sinew::geometry
