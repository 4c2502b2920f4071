// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The undirected edges of polygons: the basis of subdivision, half-edges and sanitizing.

#include <array>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// Corner c represents the half-edge from its own vertex to that of the next corner of the face.
struct EdgeTable {
  std::vector<std::array<Index, 2>> ends;  ///< Per edge: the lower vertex, then the higher. In increasing order.
  std::vector<Index> offsets = {0};  ///< Edge e is run along by corners[offsets[e]] … corners[offsets[e+1]−1].
  std::vector<Index> corners;        ///< In increasing order within an edge.
  std::vector<Index> corner_edge;    ///< Per corner; kNone where there is no edge.

  Index size() const { return static_cast<Index>(ends.size()); }
  std::span<const Index> around(Index e) const { return {corners.data() + offsets[e], offsets[e + 1] - offsets[e]}; }
};

/// Edges of the faces whose corners have the vertices `ids`, each below `id_count` or kNone. There is no edge from a
/// vertex to itself, none at a kNone, and none in a face of fewer than three corners. Linear for vertices of bounded
/// valence, the same for any number of threads.
EdgeTable edge_table(std::span<const Index> face_offsets, std::span<const Index> ids, Index id_count);

}  // namespace sinew::geometry
