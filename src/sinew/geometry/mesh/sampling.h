// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::geometry {

/// A point of a triangle of the surface.
struct SurfacePoint {
  Vec3 position = Vec3::Zero();
  Index face = kNone;
  std::array<Index, 3> vertices = {kNone, kNone, kNone};
  std::array<double, 3> weights = {0, 0, 0};  ///< Of the vertices: none negative, their sum 1.
};

/// `count` independent points, every bit of area equally likely; none for a mesh without area. Linear in the triangles
/// plus count · log. The same for any number of threads.
std::vector<SurfacePoint> random_surface_points(const Mesh& mesh, Index count, std::uint64_t seed = 1);

/// Indices of at most `count` points, each as far as can be from all before it: T. Gonzalez, "Clustering to minimize
/// the maximum intercluster distance", 1985. The first is `start` or, for kNone, the point furthest from the middle of
/// the box around all points. Of equally far points the one with the lowest x, then y, then z comes first, the index
/// decides last. Fewer points when the others all coincide with chosen ones.
///
/// Points are kept in small boxes and boxes too far to change are skipped: exact, n log n plus about n/64 a sample in
/// place of n. \pre `start` is a point or kNone, all are finite.
std::vector<Index> farthest_points(std::span<const Vec3> points, Index count, Index start = kNone);

/// Points of the surface that all lie at least `distance` apart (in space, not along the surface), as dense as throwing
/// darts makes them: about 0.6 per distance² of area, and hardly any place further than `distance` from the nearest.
/// Candidates, 24 per distance² of area, are taken in random order; a hash grid finds neighbours. Expected linear in
/// triangles, plus candidates · log (each searches for its triangle by area). R. Cook, "Stochastic sampling in
/// computer graphics", 1986. The same for any number of threads.
/// \throws Error unless `distance` is positive and leaves no more than 10⁸ candidates.
std::vector<SurfacePoint> poisson_disk(const Mesh& mesh, double distance, std::uint64_t seed = 1);

/// The distance at which `poisson_disk` gives about `count` points, within some 10 % on a surface whose folds lie
/// further apart than that; 0 for a mesh without area. \pre count > 0
double poisson_disk_distance(const Mesh& mesh, Index count);

}  // namespace sinew::geometry
