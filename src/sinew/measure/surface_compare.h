// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::measure {

/// When one shape of a surface counts as worse than another. The defaults are the ones that `sinew measure --rom` and
/// the guard of corrected deformers use, the latter with a margin.
struct SurfaceLimits {
  double stretch = 1.1;            ///< Factor on the largest stretch of the base.
  double near_stretch = 2;         ///< Factor on the largest stretch of the base within two edges.
  double free_stretch = 1.1;       ///< An edge that is stretched by less than this never counts.
  double free_near_stretch = 1.6;  ///< The same for what is compared with the stretch near by.
  double fold_rad = kPi / 2;       ///< An edge is folded if the normals of its two faces differ by more than this.
  double roughness = 1.1;          ///< Factor on the roughness of the base, over all that differs.
  double near_roughness = 1.5;     ///< The same near a vertex.
  double free_roughness = 0.3;     ///< A vertex that is less rough than this never counts.
  double gap_rel = 0.003;          ///< Shells may come apart by this much more than in the base, relative to the size.
};

/// The figures of one shape of a surface.
struct SurfaceFigures {
  double stretch = 1;               ///< Largest length of an edge relative to rest.
  Index stretched_vertex = kNone;   ///< A vertex of that edge.
  Index folded = 0;                 ///< Edges that are folded, and not at rest.
  Index flipped = 0;                ///< Faces that are turned over against the vertices around them.
  std::uint64_t intersections = 0;  ///< Pairs of triangles that intersect, share no vertex, and do not do so at rest.
  double gap_rel = 0;               ///< How far shells that are close at rest come apart, relative to the size.
};

/// Why a shape is worse than another; empty if it is not: "stretch", "folds", "flips", "intersections", "gaps".
std::vector<const char*> worse_in(const SurfaceFigures& figures, const SurfaceFigures& base,
                                  const SurfaceLimits& limits = {});

/// The surface of a mesh at rest, with which shapes are compared. Copies of a vertex at seams count once; so do copies
/// that only morphs tell apart.
class SurfaceAtRest {
 public:
  /// n log n. \pre the mesh is valid.
  explicit SurfaceAtRest(const Mesh& mesh);

  /// All figures of one shape. `positions` has one entry per vertex of the mesh. Without `intersections` their number
  /// is 0. n log n. The same for any number of threads. \throws Cancelled.
  SurfaceFigures figures(std::span<const Vec3f> positions, bool intersections = true,
                         const Progress& progress = {}) const;

  const geometry::Welding& welding() const { return welding_; }
  double size() const { return size_; }
  /// Per welded vertex those that share an edge with it, and those of other shells that are close to it at rest.
  const geometry::Lists& rings() const { return rings_; }
  std::span<const std::array<Index, 2>> links() const { return links_; }
  const std::vector<Vec3>& positions() const { return rest_; }

 private:
  friend class SurfaceCase;
  struct Hinge {
    Index a = 0, b = 0;         ///< The edge.
    Index left = 0, right = 0;  ///< The faces: triangles.
  };

  std::vector<Vec3> welded(std::span<const Vec3f> positions) const;
  double hinge_rad(const Hinge& hinge, std::span<const Vec3> normals) const;
  double side(const Hinge& hinge) const;
  std::uint64_t count_intersections(std::span<const Vec3> welded, const Progress& progress) const;
  Index count_flipped(std::span<const Vec3> welded) const;

  geometry::Welding welding_;
  std::vector<Vec3> rest_;  ///< Per welded vertex.
  double size_ = 0;
  geometry::Lists rings_;
  std::vector<std::array<Index, 2>> edges_;
  std::vector<double> lengths_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Hinge> hinges_;
  std::vector<double> hinge_rest_rad_;
  std::vector<std::array<Index, 2>> links_;  ///< Pairs of welded vertices of two shells that are close at rest.
  std::vector<double> link_lengths_;
  geometry::Lists edges_of_, hinges_of_, triangles_of_, links_of_;  ///< Per welded vertex.
  std::uint64_t rest_intersections_ = 0;
};

/// One pose in three shapes: that of the base, with which others are compared, another one, and a corrected one; and
/// all shapes between the latter two: from + factor · (corrected − from), with a factor per welded vertex. It finds the
/// vertices where such a shape is worse than both the base and the shape from which it starts, so that factors of 0 are
/// never worse. Holds only the part of the surface that the factors change.
class SurfaceCase {
 public:
  /// \pre `rest` outlives this.
  SurfaceCase(const SurfaceAtRest& rest, std::span<const Vec3f> base, std::span<const Vec3f> from,
              std::span<const Vec3f> corrected, const SurfaceLimits& limits = {});
  /// The same with the base as the shape to start from.
  SurfaceCase(const SurfaceAtRest& rest, std::span<const Vec3f> base, std::span<const Vec3f> corrected,
              const SurfaceLimits& limits = {})
      : SurfaceCase(rest, base, base, corrected, limits) {}

  bool empty() const { return vertices_.empty(); }
  /// The welded vertices that the correction moves.
  std::span<const Index> moved() const { return {vertices_.data(), moved_}; }
  /// The largest correction, in m.
  double largest() const { return largest_; }
  /// Adds the lengths of all corrections to `whole`, and what the factors keep of them to `kept`; in m.
  void add_correction(std::span<const float> factors, double& whole, double& kept) const;

  /// Appends the welded vertices at which the shape is worse than the base, some several times, and returns how many
  /// edges, folds, vertices and gaps are worse. Linear in the part that differs.
  Index find_harm(std::span<const float> factors, std::vector<Index>& harmed) const;

  /// Triangles that intersect in the base and in the shape from which the correction starts, as known to
  /// `find_intersections`.
  struct Known {
    std::vector<Vec3> from;                                       ///< Per welded vertex.
    std::vector<Index> triangles;                                 ///< Those near the part that differs.
    std::vector<char> differs;                                    ///< Per triangle.
    std::vector<std::pair<Index, Index>> base_pairs, from_pairs;  ///< Sorted.
    std::uint64_t allowed = 0;
  };
  /// n log n in the triangles near the part that differs. The shapes are those of the constructor. \throws Cancelled.
  Known know_intersections(std::span<const Vec3f> base, std::span<const Vec3f> from,
                           const Progress& progress = {}) const;

  /// The same as `find_harm` for intersecting triangles: appends the corners of those that intersect neither in the
  /// base nor in the shape from which the correction starts, and returns by how many pairs there are more than in
  /// either. \throws Cancelled.
  std::uint64_t find_intersections(const Known& known, std::span<const float> factors, std::vector<Index>& harmed,
                                   const Progress& progress = {}) const;

 private:
  struct Edge {
    Index a, b;
    float length, allowed;
  };
  struct Fold {
    Index left, right;  ///< Of `faces_`.
    double side;        ///< −1 where both run along the edge the same way, so that their normals oppose each other.
    float base;         ///< Angle.
  };
  struct Rough {
    Index vertex;
    Index begin, end;  ///< Of `ring_`.
    float allowed;
  };
  struct Gap {
    Index a, b;
    float allowed;
  };

  std::vector<Vec3> shape(std::span<const float> factors) const;
  std::vector<Mat3> ring_fits(std::span<const Vec3> at) const;
  std::vector<char> flipped_faces(std::span<const Vec3> at, const std::vector<Mat3>& fits) const;
  void count_flips(const std::vector<Vec3>& base);
  void take_vertices(std::span<const Vec3f> from, std::span<const Vec3f> corrected);
  void take_edges(const std::vector<Vec3>& base, const std::vector<Vec3>& from, const SurfaceLimits& limits);
  void take_folds(const std::vector<Vec3>& base, const std::vector<Vec3>& from);
  void take_rough(const std::vector<Vec3>& base, const std::vector<Vec3>& from, const SurfaceLimits& limits);
  void take_gaps(const std::vector<Vec3>& base, const std::vector<Vec3>& from, const SurfaceLimits& limits);
  Index local_of(Index vertex);
  std::vector<std::pair<Index, Index>> intersecting(std::span<const Vec3> shape, const Known& known,
                                                    const Progress& progress) const;

  const SurfaceAtRest& rest_;
  std::vector<Index> vertices_;  ///< Welded: those that move, then others beside them.
  std::size_t moved_ = 0;
  double largest_ = 0;
  std::vector<Index> local_;  ///< Per welded vertex, while this is made.
  std::vector<Vec3> from_, step_;
  std::vector<Edge> edges_;
  std::vector<std::array<Index, 3>> faces_;
  std::vector<Vec3> rest_normals_;  ///< Per face.
  std::vector<char> was_flipped_;   ///< Per face: in the shape from which the correction starts.
  Index base_flips_ = 0;
  std::vector<Fold> folds_;
  Index base_folds_ = 0;
  double fold_rad_ = 0;
  std::vector<Rough> rough_;
  double base_roughness_ = 0;  ///< Sum of squares over those vertices.
  double roughness_ = 1;       ///< Factor on it.
  std::vector<Index> ring_;
  std::vector<Gap> gaps_;
};

/// How rough a surface is at a vertex: |δ' − Rδ| / h, as in `SurfaceChange::roughness`, from the edges to its
/// neighbours at rest and now.
double roughness_at(std::span<const Vec3> rest_edges, std::span<const Vec3> edges);

}  // namespace sinew::measure
