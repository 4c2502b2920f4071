// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/volume.h"

#include <span>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/part_ranges.h"

namespace sinew::geometry {
namespace {

void add_triangle(const Mesh& mesh, std::span<const Index> t, const Vec3& center, Volume& sum) {
  const Vec3 a = mesh.positions[t[0]] - center;
  const Vec3 b = mesh.positions[t[1]] - center;
  const Vec3 c = mesh.positions[t[2]] - center;
  sum.volume += a.dot(b.cross(c)) / 6;
  sum.area += (b - a).cross(c - a).norm() / 2;
}

}  // namespace

std::vector<Volume> volumes(const Mesh& mesh) {
  std::vector<Volume> result;
  for (const PartRange& part : part_ranges(mesh)) {
    Box box;
    for (Index i = 0; i < part.vertex_count; ++i) box.extend(mesh.positions[part.first_vertex + i]);
    const Vec3 center = box.center();
    const auto chunk = [&](std::size_t begin, std::size_t end) {
      Volume sum;
      std::vector<Triangle> triangles;
      for (std::size_t i = begin; i < end; ++i) {
        const Index f = part.first_face + static_cast<Index>(i);
        const auto face = mesh.face(f);
        if (face.size() == 3) {
          add_triangle(mesh, face, center, sum);
          continue;
        }
        triangles.clear();
        triangulate_face(mesh, f, triangles);
        for (const Triangle& t : triangles) add_triangle(mesh, t.vertices, center, sum);
      }
      return sum;
    };
    result.push_back(
        parallel_reduce(part.face_count, Volume{}, chunk, [](Volume a, const Volume& b) { return a += b; }));
  }
  return result;
}

Volume volume(const Mesh& mesh) {
  Volume sum;
  for (const Volume& part : volumes(mesh)) sum += part;
  return sum;
}

}  // namespace sinew::geometry
