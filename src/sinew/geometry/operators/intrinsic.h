// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// A triangulation known by its edge lengths alone. It covers the same surface as the mesh it comes from; after flips
/// its edges run straight across several of the mesh's triangles, two of them may join the same vertices, and one may
/// run from a vertex back to itself.
struct IntrinsicTriangulation {
  Index vertex_count = 0;
  std::vector<std::array<Index, 3>> triangles;
  std::vector<std::array<double, 3>> lengths;  ///< Of the edge from corner k to corner k+1.
  /// Half-edge 3t+k runs from corner k to corner k+1 of triangle t. The half-edge on the other side, or kNone where the
  /// surface ends, where more than two triangles meet, and where two triangles disagree on their facing.
  std::vector<Index> twins;

  double mean_length = 0;    ///< Over the half-edges of the mesh, before any change.
  double mollification = 0;  ///< What was added to every length.
  Index left_out = 0;        ///< Triangles that use a vertex twice; they are not among `triangles`.
  std::uint64_t flips = 0;
  /// Edges that are not Delaunay and could not be flipped without making a triangle of no area; 0 in all known cases.
  Index stuck = 0;
};

/// Takes the lengths from positions. Where a triangle has no area, or hardly any, one small length is added to all
/// edges, so that every triangle's inequality holds by `slack_rel` of the mean length: N. Sharp, K. Crane, "A Laplacian
/// for nonmanifold triangle meshes", 2020. A mesh of sound triangles stays as it is. Linear. \pre finite positions,
/// indices in range.
IntrinsicTriangulation intrinsic_triangulation(std::span<const Vec3> positions,
                                               std::span<const std::array<Index, 3>> triangles,
                                               double slack_rel = 1e-6);

/// Flips edges until every one that can be flipped is Delaunay: the two angles that face it sum to at most π, so that
/// its cotangent weight is not negative. Boundary and non-manifold edges stay. One thread in a fixed order; in practice
/// the flips are fewer than the edges. A. I. Bobenko, B. A. Springborn, "A discrete Laplace–Beltrami operator for
/// simplicial surfaces", 2007; M. Fisher et al., 2007.
void make_delaunay(IntrinsicTriangulation& t);

/// Area of a triangle with these sides, by W. Kahan's stable form of Heron's formula; 0 where they make none.
double triangle_area(double a, double b, double c);

/// Cotangents of a triangle's three angles, the one at corner k opposite to the edge from k+1 to k+2. Always finite:
/// the area counts as at least 1e-12 of the longest side squared; all 0 for a triangle whose sides are all 0.
std::array<double, 3> cotangents(const std::array<double, 3>& lengths);

}  // namespace sinew::geometry
