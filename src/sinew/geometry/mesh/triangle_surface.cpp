// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/triangle_surface.h"

namespace sinew::geometry {

TriangleSurface triangle_surface(const Mesh& mesh) {
  TriangleSurface surface;
  surface.positions = mesh.positions;
  const std::vector<Triangle> triangles = triangulate(mesh);
  surface.triangles.reserve(triangles.size());
  for (const Triangle& t : triangles) surface.triangles.push_back(t.vertices);
  return surface;
}

TriangleSurface triangle_surface(const Mesh& mesh, const Welding& welding) {
  TriangleSurface surface;
  surface.positions.reserve(welding.first.size());
  for (const Index v : welding.first) surface.positions.push_back(mesh.positions[v]);
  const std::vector<Triangle> triangles = triangulate(mesh);
  surface.triangles.reserve(triangles.size());
  for (const Triangle& t : triangles)
    surface.triangles.push_back(
        {welding.welded[t.vertices[0]], welding.welded[t.vertices[1]], welding.welded[t.vertices[2]]});
  return surface;
}

}  // namespace sinew::geometry
