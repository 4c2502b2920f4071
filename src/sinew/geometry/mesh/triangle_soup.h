// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::geometry {

/// The vertices of one triangle.
using TriangleVertices = std::array<Index, 3>;

/// Triangles that need not be connected. This is a view: the data must outlive it.
struct TriangleSoup {
  std::span<const Vec3> positions;
  std::span<const TriangleVertices> triangles;

  const Vec3& corner(Index triangle, std::size_t k) const { return positions[triangles[triangle][k]]; }
};

/// The triangles of `triangulate(mesh)`, in the same order, without their corners and faces.
std::vector<TriangleVertices> triangle_vertices(const Mesh& mesh);

/// The box around all corners; vertices that no triangle uses do not count.
Box bounds(const TriangleSoup& soup);

/// \throws Error if there is no triangle, an index out of range or a corner that is not finite. `purpose` ends the
/// sentence "… are needed for": "a distance field".
void require_solid_input(const TriangleSoup& soup, const char* purpose);

/// The point of a triangle nearest to a given point.
struct PointOnTriangle {
  Vec3 point = Vec3::Zero();
  Vec3 barycentric = Vec3::Zero();  ///< Of the three corners: none negative, sum 1.
};

/// In double precision, also for triangles without area. After C. Ericson, "Real-time collision detection",
/// 2005, 5.1.5.
PointOnTriangle closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace sinew::geometry
