// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/contacts.h"

#include <cassert>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/spatial/penetration.h"
#include "sinew/geometry/spatial/self_intersection.h"

namespace sinew::measure {
namespace {

/// Quads keep the diagonals of the shape before it shrinks, so that pairs can be told again.
Mesh in_triangles(const Mesh& mesh) {
  Mesh result;
  result.positions = mesh.positions;
  result.parts = mesh.parts;
  std::vector<Triangle> triangles;
  for (MeshPart& part : result.parts) {
    const Index first = part.first_face, count = part.face_count;
    part.first_face = result.face_count();
    triangles.clear();
    for (Index f = first; f < first + count; ++f) triangulate_face(mesh, f, triangles);
    for (const Triangle& t : triangles) result.add_face(t.vertices);
    part.face_count = result.face_count() - part.first_face;
  }
  if (mesh.parts.empty())
    for (const Triangle& t : triangulate(mesh)) result.add_face(t.vertices);
  return result;
}

std::vector<geometry::TrianglePair> intersecting_pairs(const Mesh& mesh, const Progress& progress) {
  geometry::SelfIntersectionOptions options;
  options.list = true;
  return geometry::self_intersections(mesh, options, progress).pairs;
}

std::uint64_t common(const std::vector<geometry::TrianglePair>& x, const std::vector<geometry::TrianglePair>& y) {
  const auto key = [](const geometry::TrianglePair& p) { return (std::uint64_t{p.a} << 32) | p.b; };
  std::uint64_t count = 0;
  for (std::size_t i = 0, k = 0; i < x.size() && k < y.size();) {
    if (key(x[i]) == key(y[k])) ++count, ++i, ++k;
    else if (key(x[i]) < key(y[k])) ++i;
    else ++k;
  }
  return count;
}

}  // namespace

Contacts contacts(const Mesh& mesh, const geometry::Welding& welding, std::span<const double> radius, double shrink,
                  const Progress& progress) {
  assert(radius.size() == mesh.positions.size());
  Contacts result;
  Mesh shrunk = in_triangles(mesh);
  const std::vector<geometry::TrianglePair> pairs = intersecting_pairs(shrunk, progress);
  result.pairs = pairs.size();
  if (pairs.empty()) return result;
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &welding);
  // Copies of a vertex move by the first one's radius, so that they stay together.
  parallel_for(mesh.positions.size(), [&](std::size_t v) {
    shrunk.positions[v] -= shrink * radius[welding.first[welding.welded[v]]] * normals[v];
  });
  result.shrunk = common(pairs, intersecting_pairs(shrunk, progress));
  const geometry::Penetration inside = geometry::penetration(mesh, {}, progress);
  result.depth = inside.max_depth;
  result.vertices = inside.vertices;
  return result;
}

}  // namespace sinew::measure
