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
  std::vector<Index> owner;   ///< Segment per vertex.
  std::vector<float> along;   ///< Where the vertex lies along its segment: 0 at the joint, 1 at the child; unbounded.
};

/// Owners out of range, lengths that do not fit each other.
Findings validate(const Segmentation& segmentation, Index vertex_count, Index joint_count);

}  // namespace sinew
