// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::deform {

/// The Delaunay triangulation of points in space.
struct DelaunayCells {
  static constexpr Index kOutside = kNone;

  /// Four points each. The first three run counter-clockwise as seen from the fourth one's side.
  std::vector<std::array<Index, 4>> cells;
  /// The cell beyond the face across from each corner; kOutside at the hull.
  std::vector<std::array<Index, 4>> beyond;

  /// The centre of the ball through the four corners of a cell.
  static Vec3 center(std::span<const Vec3> points, const std::array<Index, 4>& cell);
};

/// Inserts points one by one (A. Bowyer, D. F. Watson, 1981), in an order that depends on their number alone. For the
/// decisions, points are displaced by about a ten-millionth of the size, so that grids and other points on one ball
/// have one answer. Empty if there are fewer than four points, or if they lie in one plane to within that. About
/// n^(4/3).
DelaunayCells delaunay_cells(std::span<const Vec3> points);

}  // namespace sinew::deform
