// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <functional>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::shapes {

/// Negative inside, positive outside; even in x: the value at (−x, y, z) is that at (x, y, z), bit for bit.
using MirroredField = std::function<double(const Vec3&)>;

/// A closed surface of quads that is its own mirror image in the plane x = 0. No vertex lies on that plane.
struct QuadSurface {
  std::vector<Vec3> positions;
  std::vector<std::array<Index, 4>> quads;  ///< Counter-clockwise seen from outside.
  std::vector<Index> mirror;                ///< Per vertex, its mirror image.
};

/// The zero set of a field as quads: one vertex per sheet of the surface in each cell of a grid of edge length `cell`, at the
/// mean of where the sheet cuts the cell's edges, and one quad around each grid edge that is cut. Telling the sheets of
/// a cell apart is what keeps thin spots from growing together; see Nielson, "Dual Marching Cubes" (2004), after
/// Gibson's surface nets (1998). `bounds` must enclose the surface. Linear in the cells; the same for any number of threads.
QuadSurface surface_nets(const MirroredField& field, const Box& bounds, double cell);

/// Evens out the quads and puts the vertices onto the zero set: `rounds` times a step towards the neighbours' mean, then
/// back along the field's gradient. Stays a mirror image of itself, exactly.
void relax(QuadSurface& surface, const MirroredField& field, double cell, int rounds);

/// Whether every edge has two faces that run along it in opposite directions, and the faces of every vertex form one fan.
bool is_closed_manifold(const QuadSurface& surface);

}  // namespace sinew::shapes
