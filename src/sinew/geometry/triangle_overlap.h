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

}  // namespace sinew::geometry
