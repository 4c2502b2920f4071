// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/triangle_soup.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/geometry/spatial/segment.h"

namespace sinew::geometry {
namespace {

// The nearest point of the outline: all there is of a triangle without area.
PointOnTriangle closest_on_outline(const Vec3& p, const std::array<Vec3, 3>& corners) {
  PointOnTriangle best;
  double best_distance2 = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    const double s = segment_parameter(p, corners[k], corners[next]);
    const Vec3 point = corners[k] + s * (corners[next] - corners[k]);
    const double distance2 = (point - p).squaredNorm();
    if (distance2 >= best_distance2) continue;
    best_distance2 = distance2;
    best.point = point;
    best.barycentric = Vec3::Zero();
    best.barycentric[k] = 1 - s;
    best.barycentric[next] = s;
  }
  return best;
}

}  // namespace

std::vector<TriangleVertices> triangle_vertices(const Mesh& mesh) {
  std::vector<TriangleVertices> result;
  result.reserve(mesh.face_vertices.size() / 3);
  for (const Triangle& t : triangulate(mesh)) result.push_back(t.vertices);
  return result;
}

Box bounds(const TriangleSoup& soup) {
  Box box;
  for (const TriangleVertices& t : soup.triangles)
    for (const Index v : t) box.extend(soup.positions[v]);
  return box;
}

void require_solid_input(const TriangleSoup& soup, const char* purpose) {
  if (soup.triangles.empty())
    throw Error(fmt::format("The mesh has no faces, which are needed for {}. Provide a mesh with faces.", purpose));
  for (std::size_t i = 0; i < soup.triangles.size(); ++i)
    for (const Index v : soup.triangles[i]) {
      if (v >= soup.positions.size())
        throw Error(
            fmt::format("Triangle {} refers to vertex {}, but there are only {} vertices. Repair the mesh first.", i, v,
                        soup.positions.size()));
      if (!soup.positions[v].allFinite())
        throw Error(
            fmt::format("The position of vertex {} is not finite, but finite positions are needed for {}. "
                        "Repair the mesh first.",
                        v, purpose));
    }
}

PointOnTriangle closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {a, {1, 0, 0}};
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {b, {0, 1, 0}};
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {c, {0, 0, 1}};
  // Rounding leaves no trust in the regions of a needle.
  if (!(ab.cross(ac).squaredNorm() > 1e-20 * ab.squaredNorm() * ac.squaredNorm()))
    return closest_on_outline(p, {a, b, c});
  // Areas that p, projected, spans with each edge, up to a common factor.
  const double u = d3 * d6 - d5 * d4, v = d5 * d2 - d1 * d6, w = d1 * d4 - d3 * d2;
  if (w <= 0 && d1 >= 0 && d3 <= 0) {
    const double s = d1 / (d1 - d3);
    return {a + s * ab, {1 - s, s, 0}};
  }
  if (v <= 0 && d2 >= 0 && d6 <= 0) {
    const double s = d2 / (d2 - d6);
    return {a + s * ac, {1 - s, 0, s}};
  }
  if (u <= 0 && d4 >= d3 && d5 >= d6) {
    const double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {b + s * (c - b), {0, 1 - s, s}};
  }
  if (u <= 0 || v <= 0 || w <= 0) return closest_on_outline(p, {a, b, c});  // Rounding again.
  const Vec3 barycentric = Vec3(u, v, w) / (u + v + w);
  return {barycentric.x() * a + barycentric.y() * b + barycentric.z() * c, barycentric};
}

}  // namespace sinew::geometry
