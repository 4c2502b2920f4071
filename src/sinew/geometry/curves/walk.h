// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/geometry/curves/curve_surface.h"

namespace sinew::geometry {

/// A way along edges.
struct EdgeWalk {
  std::vector<Index> edges;  ///< Half-edges, each from where the one before ends.
  bool closed = false;
  /// Edges that leave the closed way on its left and its right, minus its vertices. 0 for a ring of a regular grid; a
  /// ring around the end of a limb, or where a limb leaves the body, turns to one side instead.
  int turn_left = 0;
  int turn_right = 0;

  /// Whether it runs around a tube, and not around its end. A single irregular vertex does no harm.
  bool around_tube() const {
    return closed && turn_left >= -1 && turn_left <= 1 && turn_right >= -1 && turn_right <= 1;
  }
};

/// How a way goes on at a vertex.
enum class WalkRule {
  kStraight,    ///< Straight ahead over vertices of four quads, and by the smallest angle to the plane elsewhere.
  kFixedPlane,  ///< By the smallest angle to one plane everywhere, as in the paper. For studies.
};

/// Walks along the edges of a surface.
class EdgeWalker {
 public:
  explicit EdgeWalker(const CurveSurface& surface) : s_(surface), seen_(surface.mesh.vertex_count(), 0) {}

  /// Goes on from a half-edge until it is back at its start, meets a vertex that is taken or that it has passed, or
  /// finds no edge to go on. `normal` is that of the plane for the smallest angle; `most` limits the number of edges.
  EdgeWalk walk(Index half_edge, const Vec3& normal, const std::vector<Index>& taken, WalkRule rule, Index most);

 private:
  Index ahead(Index half_edge, const Vec3& normal, WalkRule rule, const std::vector<Index>& taken) const;
  int left_of(Index arriving, Index leaving) const;

  const CurveSurface& s_;
  std::vector<Index> seen_;  // Per vertex: the number of the walk that passed it last.
  Index walks_ = 0;
};

/// The normal of a closed way by Newell's formula, of unit length; zero if it has none.
Vec3 newell_normal(const CurveSurface& surface, const std::vector<Index>& half_edges);

}  // namespace sinew::geometry
