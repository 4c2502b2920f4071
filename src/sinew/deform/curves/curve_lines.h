// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/core/mesh.h"

namespace sinew::deform {

/// A value at a node or vertex as a share of values elsewhere.
struct Share {
  Index of = kNone;
  float weight = 0;
};

/// The lines that move: curves of a set, with nodes on vertices or, for level sets, evenly spaced on the curve.
struct CurveLines {
  struct Line {
    Index first = 0;  ///< Its nodes are first … first + count − 1.
    Index count = 0;
    bool closed = false;
    bool even = true;            ///< Segments differ by at most a factor of four.
    double length = 0;           ///< Smoothed along the limb, so that neighbours move alike.
    std::vector<double> spaces;  ///< Lengths of segments, for uneven lines.
  };
  std::vector<Line> lines;
  /// Per node: the vertices whose displacements it has, in shares.
  std::vector<Index> node_offsets = {0};
  std::vector<Share> node_shares;
  /// Per vertex: the nodes whose deviation from the joints' progress it has, in shares.
  std::vector<Index> vertex_offsets;
  std::vector<Share> vertex_shares;
  Index covered = 0;  ///< Vertices on or between curves; the others follow the nearest node.

  Index node_count() const { return static_cast<Index>(node_offsets.size() - 1); }
};

/// Lays out the lines of a set of curves. Small pieces without curves follow the nearest node as a whole. Linear, plus
/// pieces times nodes, of which at most 4,000 are compared. \pre the curves are of that mesh.
CurveLines curve_lines(const CurveSet& curves, const Mesh& mesh);

}  // namespace sinew::deform
