// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"

namespace sinew::geometry {

struct SelfIntersectionOptions {
  /// Also finds pairs of triangles of two different parts.
  bool between_parts = true;
  /// Keeps the pairs themselves; without it only their number is known, which takes no memory.
  bool list = false;
  /// Also looks at triangles that share a corner or an edge, and takes those that meet elsewhere, too: a fan that
  /// passes through itself, two faces folded flat onto each other, a face and its copy. They are counted apart.
  bool adjacent = false;
};

/// Two triangles that meet: indices into `triangulate(mesh)`, a < b.
struct TrianglePair {
  Index a = kNone;
  Index b = kNone;

  friend bool operator==(const TrianglePair&, const TrianglePair&) = default;
};

struct SelfIntersections {
  std::uint64_t inside_parts = 0;   ///< Pairs within one part.
  std::uint64_t between_parts = 0;  ///< Pairs of two parts.
  std::uint64_t adjacent = 0;       ///< Pairs that share a corner or an edge; in neither of the figures above.
  std::vector<TrianglePair> pairs;  ///< All pairs, sorted, if `list` was requested.
};

/// Pairs of triangles that share no vertex (have no corner at the very same place) and yet have a point in common,
/// decided exactly; see `triangles_intersect`, and `triangles_meet_elsewhere` for those that do share one. About n log
/// n for n triangles and few pairs; the same for any number of threads. \pre the mesh is valid. \throws Cancelled.
SelfIntersections self_intersections(const Mesh& mesh, const SelfIntersectionOptions& options = {},
                                     const Progress& progress = {});

}  // namespace sinew::geometry
