// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// The assignment of vertices to bones. A *region* is the set of vertices that one bone owns.
struct Segmentation {
  /// A bone: from a joint to one child, or the end segment of a leaf (child kNone).
  struct Segment {
    Index joint = kNone;
    Index child = kNone;
  };
  std::vector<Segment> segments;
  std::vector<Index> owner;  ///< Index of the owning segment, per vertex.
  std::vector<float> along;  ///< Position of the vertex along its segment: 0 at the joint, 1 at the child; unbounded.

  /// How the owners were found. All are zero for a segmentation from another source.
  struct Statistics {
    Index weak = 0;       ///< Vertices whose candidates are all on the wrong side of the skin.
    Index spread = 0;     ///< Vertices that no segment reached; they follow the nearest labelled one along edges.
    Index nearest = 0;    ///< Vertices of shells that no segment reached; they follow the nearest segment.
    Index seedless = 0;   ///< Segments without a seed on any shell.
    Index fragments = 0;  ///< Regions of all shells before merging.
    Index merged_fragments = 0;  ///< Fragments that were merged into a neighbour.
    Index merged_vertices = 0;
  };
  Statistics statistics;
};

/// Returns the problems of a segmentation: owners out of range, lengths that do not match.
Findings validate(const Segmentation& segmentation, Index vertex_count, Index joint_count);

}  // namespace sinew
