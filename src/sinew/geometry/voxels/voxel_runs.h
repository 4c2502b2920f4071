// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinew/geometry/voxels/voxels.h"

namespace sinew::geometry {

/// A grid of voxels as runs along x. A row has few of them, so that a question about connected voxels takes hardly more
/// than one look at each voxel, where a walk from neighbour to neighbour takes 6 or 26.
struct VoxelRuns {
  struct Run {
    Index begin = 0, end = 0;  ///< Along x; `end` is the first voxel after it.
    std::uint8_t kind = 0;
  };
  std::vector<Run> runs;     ///< Row by row.
  std::vector<Index> first;  ///< Per row y + height · z, and one more.
  Index height = 0, depth = 0;

  /// `kinds`: by class of voxel. Neighbours of one kind are one run; kind 0 is left out.
  VoxelRuns(const SolidVoxels& voxels, const std::array<std::uint8_t, 3>& kinds);

  std::size_t row(Index y, Index z) const { return std::size_t{z} * height + y; }

  /// Calls `visit(a, b)` for runs of two rows that have a coordinate in common, or, with `diagonal`, neighbouring ones.
  template <class Visit>
  void for_touching(std::size_t row_a, std::size_t row_b, bool diagonal, Visit&& visit) const {
    const Index slack = diagonal ? 1 : 0;
    Index b = first[row_b];
    for (Index a = first[row_a]; a < first[row_a + 1]; ++a) {
      while (b < first[row_b + 1] && runs[b].end + slack <= runs[a].begin) ++b;
      for (Index c = b; c < first[row_b + 1] && runs[c].begin < runs[a].end + slack; ++c) visit(a, c);
    }
  }
};

/// The number of bodies of solid voxels that touch each other, including at corners. Linear.
std::size_t count_solid_bodies(const SolidVoxels& voxels);

}  // namespace sinew::geometry
