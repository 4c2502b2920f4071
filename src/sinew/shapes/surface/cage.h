// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::shapes {

/// Shares of joints; they add up to 1.
using Mix = std::vector<std::pair<Index, double>>;

/// A mix of both: (1−t)·a + t·b.
Mix blended(const Mix& a, const Mix& b, double t);

/// Vertices of a ring or a hole in order, counter-clockwise as seen from outside the body.
using Loop = std::vector<Index>;

/// A coarse net of quads around a skeleton, to be subdivided (Catmull–Clark). Tubes are walls of equal rings; limbs
/// grow out of holes left in walls; what is left open is closed by patches. Every vertex knows how much of each joint
/// it is.
class Cage {
 public:
  Index add(const Vec3& position, Mix mix);
  void add_quad(const std::array<Index, 4>& quad, bool flip = false);

  /// Quads between two loops of equal length; the second lies further out. `flip` turns them over (mirrored limbs).
  void bridge(const Loop& inner, const Loop& outer, bool flip);

  /// Bridges each ring with the next but leaves out the faces (row, column) for which `open` says so.
  void wall(const std::vector<Loop>& rings, bool flip, const std::function<bool(Index row, Index column)>& open = {});

  /// The rim of the hole between rows and columns of a wall, from its corner (row0, column0) along row0. Columns wrap;
  /// with column1 below column0 the rim runs the other way, as a mirrored limb needs it.
  static Loop hole(const std::vector<Loop>& rings, Index row0, Index row1, int column0, int column1);

  /// Closes a loop of 2(columns + rows) vertices by a grid; loop[0] is a corner and the first side has `columns` edges.
  /// The middle stands out by `bulge`, away from `below`. Faces (row, column) for which `open` says so are left out.
  /// Returns the grid, row by row.
  std::vector<Index> close(const Loop& loop, Index columns, const Vec3& bulge, bool flip,
                           const std::function<bool(Index row, Index column)>& open = {});

  /// Forgets vertices that no face uses: what lay inside holes. Loops from before are no longer valid.
  void drop_unused();

  std::vector<Vec3>& positions() { return positions_; }
  const std::vector<Vec3>& positions() const { return positions_; }
  std::vector<Mix>& mixes() { return mixes_; }
  const std::vector<Mix>& mixes() const { return mixes_; }
  const std::vector<std::array<Index, 4>>& quads() const { return quads_; }

 private:
  std::vector<Vec3> positions_;
  std::vector<Mix> mixes_;
  std::vector<std::array<Index, 4>> quads_;
};

}  // namespace sinew::shapes
