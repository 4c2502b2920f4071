// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/volume.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/rigging/embed/medial.h"

namespace sinew::rigging {

struct Sphere {
  Vec3 center = Vec3::Zero();
  double radius = 0;
};

/// Spheres packed into a body, with their neighbours and the shortest paths between all of them.
struct SphereGraph {
  std::vector<Sphere> spheres;  ///< By falling radius.
  geometry::Lists neighbours;   ///< Per sphere, increasing.
  std::vector<float> lengths;   ///< Beside `neighbours.items`: distance of the centres.
  std::vector<float> distance;  ///< n×n, row u column v: the shortest way from u to v; infinity where there is none.
  std::vector<std::uint16_t>
      previous;  ///< n×n, row u column v: the sphere before v on the way from u; v itself if u = v or none.

  static constexpr float kUnreachable = std::numeric_limits<float>::infinity();
  Index size() const { return static_cast<Index>(spheres.size()); }
  float way(Index u, Index v) const { return distance[std::size_t{u} * spheres.size() + v]; }
  /// The spheres on the way from u to v, both included; empty if there is none.
  std::vector<Index> path(Index u, Index v) const;
};

/// Comparisons take what differs by rounding alone as equal: spheres that touch meet, a centre on the border of a ball
/// is not in it, a way just deep enough is deep.
struct PackingOptions {
  int most = 1000;         ///< Spheres.
  double deep_edge = 0.5;  ///< A way between spheres that do not meet must be so deep, in radii of the smaller one.
  /// Parts of the graph that these edges leave apart are joined by the shortest ways inside the body, if the spheres'
  /// surfaces are no farther apart than this along them: a thin leg under a broad trunk. Ours; 0 for the paper's graph.
  double join_gap = 0.1;
};

/// Greedy packing: the deepest sample that lies in no sphere yet becomes one. \pre samples by falling depth.
std::vector<Sphere> pack_spheres(std::span<const MedialSample> samples, const PackingOptions& options = {});

/// Edges between spheres that intersect, and between those that are Gabriel neighbours with a deep way between them
/// (looked at in 101 places); then what `join_gap` adds. Fills the ways too. Spheres of other connected parts than the
/// one of largest volume keep infinite ways. The same for any number of threads.
SphereGraph sphere_graph(std::vector<Sphere> spheres, const DistanceField& depth, const PackingOptions& options = {});

/// Fills `distance` and `previous` from `neighbours` and `lengths`: a search from every sphere, on all threads.
void find_ways(SphereGraph& graph);

}  // namespace sinew::rigging
