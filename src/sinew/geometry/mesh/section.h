// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/spatial/bvh.h"

namespace sinew::geometry {

/// One closed curve in which a plane cuts a surface.
struct SectionLoop {
  std::vector<Vec3> points;      ///< In order; the last is joined to the first.
  double area = 0;               ///< Positive around solid, negative around a hole, if the surface faces outwards.
  double perimeter = 0;          ///< Gaps included.
  Vec3 centroid = Vec3::Zero();  ///< Of the area; of the curve where the area vanishes.
  double min_radius = 0;         ///< Nearest and farthest from the axis, gaps included.
  double max_radius = 0;
  bool surrounds = false;  ///< Whether the loop surrounds the axis.
  Index gaps = 0;          ///< Straight pieces that bridge gaps in the surface.
  double gap_length = 0;
};

/// The intersection of a surface with one plane. The figures are sums over `loops`, with signed areas.
struct Section {
  double parameter = 0;        ///< Along the axis: 0 at its start, 1 at its end.
  Vec3 origin = Vec3::Zero();  ///< Where the axis crosses the plane.
  std::vector<SectionLoop> loops;
  double area = 0;
  double perimeter = 0;
  Vec3 centroid = Vec3::Zero();
  double min_radius = 0;
  double max_radius = 0;
  Index gaps = 0;
  Index left_out = 0;       ///< Loops that do not belong to this bone.
  bool surrounded = false;  ///< A loop goes round the axis; else the nearest was taken, or there is none.
};

/// The rule that selects the loops of a plane.
enum class SectionRule {
  kAll,
  /// The loops that go round the axis, and all that lie inside the largest of these. If none does, the loop nearest to
  /// the axis and what lies inside it. So a plane through an arm that hangs down leaves out the torso and the other
  /// arm, while a sleeve, the arm in it and a hollow in the arm all count. (A loop lies inside another when most of its
  /// points do.)
  kNearAxis,
};

struct SectionOptions {
  SectionRule rule = SectionRule::kNearAxis;
};

/// Cuts a surface with planes. A vertex on the plane counts as above it (towards b), so that every triangle is cut in
/// one segment or not at all, and curves close wherever the surface does. Where more than two triangles meet at an
/// edge, segments that run on are joined first; where neighbours disagree on their facing the curve goes on, and its
/// longer part decides its sense. Where the surface ends, the nearest loose ends are joined by straight pieces, which
/// are counted.
class SectionCutter {
 public:
  /// n log n. \pre finite positions, indices in range.
  explicit SectionCutter(TriangleSurface surface);

  /// The plane through a + parameter·(b − a), perpendicular to b − a. About k log n for k triangles that are cut.
  /// \throws Error if a and b are at the same position.
  Section cut(const Vec3& a, const Vec3& b, double parameter, const SectionOptions& options = {}) const;

  /// One for each parameter, in parallel; the same bits for any number of threads.
  std::vector<Section> cut(const Vec3& a, const Vec3& b, std::span<const double> parameters,
                           const SectionOptions& options = {}) const;

 private:
  TriangleSurface surface_;
  Bvh tree_;
};

/// The middles of `count` equal pieces of the axis: (i + ½) / count.
std::vector<double> even_parameters(Index count);

/// Sections of a mesh, welded by position and part, along a bone at `even_parameters(count)`.
std::vector<Section> sections(const Mesh& mesh, const Vec3& a, const Vec3& b, Index count,
                              const SectionOptions& options = {});

}  // namespace sinew::geometry
