// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::measure {

/// The lengths of edges relative to rest.
struct EdgeStretch {
  static constexpr std::array<double, 7> kShares = {0, 0.01, 0.05, 0.5, 0.95, 0.99, 1};

  std::array<double, 7> percentiles = {1, 1, 1, 1, 1, 1, 1};  ///< Smallest, 1, 5, 50, 95, 99 %, largest.
  Index edges = 0;                                            ///< Number of edges with a nonzero length at rest.

  double smallest() const { return percentiles.front(); }
  double largest() const { return percentiles.back(); }
};

/// Measures the deformation of a surface relative to one rest shape. Copies of a vertex at seams count once.
class SurfaceChange {
 public:
  /// Linear. \pre the mesh is valid and the welding is its own; its positions are the rest shape.
  SurfaceChange(const Mesh& mesh, const geometry::Welding& welding);

  /// Returns percentiles over all edges, each counted once, with linear interpolation between ranks. The cost is n log
  /// n.
  EdgeStretch stretch(std::span<const Vec3> positions) const;

  /// Returns how much the surface crumples: the root mean square, weighted by rest area, of |δ' − Rδ| / h. δ is the
  /// vector from a vertex to the mean of its neighbours (the uniform Laplacian) at rest, δ' the same vector in the new
  /// shape, R the rotation that best fits the neighbours, and h the mean length of the vertex's edges at rest. The
  /// roughness is zero for a rigid motion. For a smooth bend it decreases with the edge length. A vertex that sticks
  /// out by one edge length has 1. The cost is linear. The result has the same bits for any number of threads.
  double roughness(std::span<const Vec3> positions) const;

 private:
  std::vector<Index> first_;  ///< Of each welded vertex, as in the welding.
  geometry::Lists rings_;
  std::vector<std::pair<Index, Index>> edges_;
  std::vector<double> lengths_;
  std::vector<Vec3> rest_;    ///< Of welded vertices.
  std::vector<double> area_;  ///< The same: a share of the faces around it.
};

/// The distance between two shapes.
struct ShapeDistance {
  double max = 0;  ///< m
  double rms = 0;  ///< m, over all vertices.
  Index farthest = kNone;
};

/// Compares two shapes vertex by vertex. \pre both have the same length.
ShapeDistance shape_distance(std::span<const Vec3> a, std::span<const Vec3> b);

}  // namespace sinew::measure
