// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::binding {

/// What merging did.
struct Merged {
  Index fragments = 0;         ///< Before.
  Index merged_fragments = 0;  ///< That went to a neighbour.
  Index merged_vertices = 0;   ///< With another owner than before.
};

/// Gives stray pieces of regions to the regions around them. A *fragment* is a set of vertices of one owner that edges
/// join. Of the fragments of one owner on one shell the largest stays; the others, smallest first, go over to the
/// neighbouring owner with which most edges join them (edges to weak vertices count half; of equal ones the lowest),
/// and are one with what they touch of it. Equally large fragments are told apart by their first position (x, then y,
/// then z). After that the vertices of an owner on a shell hang together.
///
/// With `kin`, a number per owner, a fragment goes to an owner of the same number if it touches one at all. n log n at
/// worst, usually linear.
Merged merge_fragments(const geometry::Lists& rings, std::span<const Vec3> positions, std::span<const Index> shell,
                       std::span<const char> weak, std::vector<Index>& owner, std::span<const Index> kin = {});

}  // namespace sinew::binding
