// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// The edges of a triangulated surface, from each vertex to its neighbours.
struct EdgeGraph {
  std::vector<Index> offsets = {0};
  std::vector<Index> neighbours;  ///< Rising for each vertex, none twice.
  std::vector<double> lengths;    ///< The same bits in both directions.
  std::vector<Vec3> positions;

  Index size() const { return static_cast<Index>(offsets.size() - 1); }
};

/// Linear. \pre finite positions, indices in range.
EdgeGraph edge_graph(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles);

struct HeatOptions {
  /// The time heat flows, m in t = m·h² with h the mean edge length: free of scale. Larger gives smoother distances
  /// that round off at the cut locus, smaller ones follow the edges' pattern.
  double time = 1;
};

struct HeatDistances {
  std::vector<double> distance;  ///< Not negative, 0 at the sources, infinite on parts of the surface without a source.
  /// Triangles that the heat did not reach within the range of a double (about 1,400 edges away): they say nothing of
  /// the direction, so that distances beyond them are too short. A larger `time` reaches them.
  Index unreached_triangles = 0;
};

/// Smooth distances across the triangles: K. Crane, C. Weischedel, M. Wardetzky, "Geodesics in heat", 2013, on the
/// intrinsic Delaunay triangulation, whose heat is never negative. Two factorisations once (about n^1.5), then two
/// solves for each set of sources. Errors of a few percent on coarse meshes, falling with the edge length; heat does
/// not flow over boundaries (Neumann), which bends distances near them by about an edge length. The same bits for any
/// number of threads.
class HeatGeodesics {
 public:
  /// \throws SingularMatrix when a triangulation is beyond repair. \pre finite positions, indices in range.
  HeatGeodesics(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles,
                const HeatOptions& options = {});
  HeatGeodesics(HeatGeodesics&&) noexcept;
  HeatGeodesics& operator=(HeatGeodesics&&) noexcept;
  ~HeatGeodesics();

  /// Distance from the nearest of the sources, each in range; repeated ones do no harm.
  HeatDistances distances(std::span<const Index> sources) const;
  /// For several sets of sources, in parallel.
  std::vector<HeatDistances> distances(std::span<const std::vector<Index>> source_sets) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace sinew::geometry
