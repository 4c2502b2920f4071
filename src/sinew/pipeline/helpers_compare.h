// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Compares what two rigs of one mesh do to a part of its surface in the same pose.

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/self_intersection.h"

namespace sinew::pipeline {

/// The state of a region of the surface in one pose.
struct SurfaceFigures {
  double thinnest = 1;  ///< Smallest area of a cross-section relative to rest. `SurfaceRegion` does not fill it.
  double stretch = 1;   ///< Largest length of an edge relative to rest.
  Index folded = 0;     ///< Edges whose two triangles are folded onto each other, by more than 135°, but not at rest.
  Index cuts = 0;       ///< Pairs of triangles that intersect.
};

/// A figure of the surface.
enum class SurfaceFigure { kNone, kThinnest, kStretch, kFolded, kCuts };

/// The area that a section may lose without being worse.
inline constexpr double kSectionTolerance = 0.005;

/// How far the other figures may grow without being worse.
struct SurfaceAllowance {
  double stretch = 1.05;
  Index folded = 0;
  Index cuts = 0;

  /// Stretch may grow by 2 %, or to 1.05. Folded edges and intersecting pairs may grow by 2 %, or by 2 of them. Where
  /// a section gains, all three may grow by 1.5 times the gain in addition, at most by 30 %: skin that has collapsed is
  /// shorter than skin that keeps its volume. (Edges of a cylinder of radius r that is twisted by θ along
  /// its length L are √(1 + (rθ/L)²) as long as at rest, though nothing is wrong with it.)
  SurfaceAllowance(const SurfaceFigures& before, double gain);
};

/// Returns a figure that is worse in `after`, or kNone: a section that lost more than `kSectionTolerance`, or one that
/// exceeds the allowance. `gain` is the largest gain of a section.
SurfaceFigure worse_figure(const SurfaceFigures& before, const SurfaceFigures& after, double gain);

/// A region in one pose: its figures, and where they come from.
struct SurfaceState {
  SurfaceFigures figures;
  std::vector<char> folded;                  ///< Per pair of neighbouring triangles.
  std::vector<geometry::TrianglePair> cuts;  ///< Sorted.
};

/// The triangles of a mesh that have a vertex in a set. Its own vertices are numbered from 0.
class SurfaceRegion {
 public:
  /// `rest` has the positions with which lengths and angles are compared, `vertices` one flag per vertex of the mesh.
  /// The cost is n log n. \pre the mesh is valid and the welding is its own.
  SurfaceRegion(const Mesh& mesh, const geometry::Welding& welding, std::span<const Vec3> rest,
                const std::vector<char>& vertices);

  bool empty() const { return triangles_.empty(); }

  /// The first copy in the mesh of each vertex of the region.
  const std::vector<Index>& vertices() const { return first_; }

  /// Returns the state without intersections, which cost far more than all the rest. Linear.
  SurfaceState measure(std::span<const Vec3> posed) const;

  /// Adds the pairs of triangles that intersect and share no vertex. The cost is n log n.
  void add_cuts(std::span<const Vec3> posed, SurfaceState& state) const;

  /// Sets the flags of the region's vertices at which `after` is worse than `before`, for each figure that is worse
  /// except sections. `posed` has the positions of `after`. Linear.
  void mark_worse(const SurfaceState& before, const SurfaceState& after, const SurfaceAllowance& allowance,
                  std::span<const Vec3> posed, std::vector<char>& marked) const;

  /// Returns, per vertex of the region, a factor: `least` at marked vertices, rising smoothly to 1 within the distance
  /// `reach` along the edges, at rest. The cost is n log n.
  std::vector<float> easing(const std::vector<char>& marked, double least, double reach) const;

 private:
  struct Edge {
    Index a = 0, b = 0;
    double length = 0;  ///< At rest; 0 if it is too short to be compared.
  };
  Vec3 normal(Index triangle, std::span<const Vec3> positions) const;
  bool folded(Index a, Index b, std::span<const Vec3> positions) const;
  double stretch(const Edge& edge, std::span<const Vec3> posed) const;

  std::vector<Index> first_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Edge> edges_;
  std::vector<std::vector<Index>> edges_at_;     ///< Per vertex.
  std::vector<std::pair<Index, Index>> hinges_;  ///< Triangles with a common edge that are not folded at rest.
  Mesh part_;                                    ///< The region as a mesh of its own, for the intersections.
};

}  // namespace sinew::pipeline
