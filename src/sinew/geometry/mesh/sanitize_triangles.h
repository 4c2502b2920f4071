// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The triangles that `sanitize` works on, and its two middle steps.

#include <array>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/edge_table.h"
#include "sinew/geometry/mesh/sanitize.h"

namespace sinew::geometry {

/// Triangle t has the corners 3t, 3t+1, 3t+2; corner c stands also for the half-edge to the next corner.
struct SanitizeTriangles {
  std::vector<Vec3> positions;     ///< Per welded vertex.
  std::vector<Index> vertex;       ///< Per corner: welded.
  std::vector<Index> source;       ///< Per corner: the source vertex.
  std::vector<Index> source_face;  ///< Per triangle.

  Index size() const { return static_cast<Index>(source_face.size()); }
  static Index next(Index corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }
  static Index prev(Index corner) { return corner % 3 == 0 ? corner + 2 : corner - 1; }
  const Vec3& at(Index corner) const { return positions[vertex[corner]]; }
  EdgeTable edges(const std::vector<Index>& ids, Index id_count) const;
};

/// Removes collapsed, thin and duplicate triangles. `thin` is in the mesh's units.
void remove_bad_triangles(SanitizeTriangles& soup, double thin, SanitizeCounts& counts);

/// Which corners share a clean vertex, and which triangles must turn round to agree with their neighbours.
struct ManifoldCut {
  std::vector<Index> vertex;  ///< Per corner: a clean vertex.
  Index vertex_count = 0;     ///< Ordered by the welded vertex, then by the lowest corner.
  std::vector<char> flip;     ///< Per triangle.
};
ManifoldCut cut_to_manifold(const SanitizeTriangles& soup, SanitizeCounts& counts);

}  // namespace sinew::geometry
