// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/solid.h"

#include <algorithm>
#include <cstdint>

#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::studio {
namespace {

struct DirectedEdge {
  std::uint64_t key;  // Of its two ends, the smaller first.
  Index component;
  bool forward;
};

}  // namespace

std::vector<char> solid_faces(const Mesh& mesh) {
  const geometry::Welding welding = geometry::weld(mesh);
  const geometry::Components shells = geometry::components(mesh, &welding);
  const Box box = mesh.bounds();
  const Vec3 middle = box.empty() ? Vec3(Vec3::Zero()) : Vec3((box.lower + box.upper) / 2);
  std::vector<double> volume(shells.count, 0);
  std::vector<DirectedEdge> edges;
  edges.reserve(mesh.face_vertices.size());
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    const Index shell = shells.of_face[f];
    if (shell == kNone) continue;
    const auto place = [&](std::size_t i) { return Vec3(mesh.positions[face[i]] - middle); };
    for (std::size_t i = 0; i < face.size(); ++i) {
      const std::uint64_t a = welding.welded[face[i]];
      const std::uint64_t b = welding.welded[face[(i + 1) % face.size()]];
      if (a != b) edges.push_back({std::min(a, b) << 32 | std::max(a, b), shell, a < b});
      if (i >= 2) volume[shell] += place(0).dot(place(i - 1).cross(place(i)));
    }
  }
  std::sort(edges.begin(), edges.end(), [](const DirectedEdge& a, const DirectedEdge& b) { return a.key < b.key; });
  std::vector<char> solid(shells.count);
  for (Index s = 0; s < shells.count; ++s) solid[s] = volume[s] > 0;
  for (std::size_t i = 0; i < edges.size();) {
    const std::size_t first = i;
    while (i < edges.size() && edges[i].key == edges[first].key) ++i;
    // Shells meet nowhere: edges of one key are of one shell.
    if (i - first != 2 || edges[first].forward == edges[first + 1].forward) solid[edges[first].component] = 0;
  }
  std::vector<char> result(mesh.face_count(), 0);
  for (Index f = 0; f < mesh.face_count(); ++f) result[f] = shells.of_face[f] != kNone && solid[shells.of_face[f]] != 0;
  return result;
}

}  // namespace sinew::studio
