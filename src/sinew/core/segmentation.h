// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// Which bone owns each vertex. A *region* is the vertices one bone owns.
struct Segmentation {
  /// A bone: from a joint to one child, or the end segment of a leaf (child kNone).
  struct Segment {
    Index joint = kNone;
    Index child = kNone;
  };
  std::vector<Segment> segments;
  std::vector<Index> owner;  ///< Segment per vertex.
  std::vector<float> along;  ///< Where the vertex lies along its segment: 0 at the joint, 1 at the child; unbounded.

  /// How the owners were found; all zero for a segmentation that is known otherwise.
  struct Statistics {
    Index weak = 0;              ///< Vertices whose candidates all lie on the wrong side of the skin.
    Index spread = 0;            ///< No segment reached them: they follow the nearest labelled vertex along edges.
    Index nearest = 0;           ///< Nothing of their shell was reached: the nearest segment of all.
    Index seedless = 0;          ///< Segments without a seed on any shell.
    Index fragments = 0;         ///< Regions before merging, over all shells.
    Index merged_fragments = 0;  ///< Those that went to a neighbour.
    Index merged_vertices = 0;
  };
  Statistics statistics;
};

/// Owners out of range, lengths that do not fit each other.
Findings validate(const Segmentation& segmentation, Index vertex_count, Index joint_count);

}  // namespace sinew
