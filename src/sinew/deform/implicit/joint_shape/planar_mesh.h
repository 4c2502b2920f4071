// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::deform {

/// Triangles between the corners of a polygon in the plane and points inside of it, by number: the corners first, in
/// their order, which must be counter-clockwise, then the points. Points outside of the polygon, or on an edge, have no
/// triangle. Every edge of the polygon is an edge of one triangle; inside, triangles are those of Delaunay as far as
/// the polygon lets them.
///
/// Ears of the polygon are cut off first, then points are inserted one by one and edges flipped (C. L. Lawson, 1977).
/// Qhull knows no constrained edges, so that the border would have to be recovered by flips afterwards; holes have a
/// few hundred points, for which this is enough. Quadratic. Empty if the polygon is not simple.
std::optional<std::vector<std::array<Index, 3>>> triangulate_polygon(std::span<const Vec2> corners,
                                                                     std::span<const Vec2> points);

/// Triangles between the corners of a polygon in space with the smallest sum of areas, for at most `most` corners: G.
/// Barequet and M. Sharir, "Filling gaps in the boundary of a polyhedron", 1995. They face the side from which the
/// corners run counter-clockwise. No triangle uses an edge across the polygon that is `taken`. Cubic. Empty if there
/// are more corners, or if there are no such triangles.
std::optional<std::vector<std::array<Index, 3>>> smallest_triangles(std::span<const Vec3> corners,
                                                                    const std::function<bool(Index, Index)>& taken = {},
                                                                    std::size_t most = 400);

}  // namespace sinew::deform
