// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/components.h"

#include "sinew/geometry/mesh/union_find.h"

namespace sinew::geometry {

Components components(const Mesh& mesh, const Welding* welding) {
  const auto vertex = [&](Index v) { return welding ? welding->welded[v] : v; };
  UnionFind sets(welding ? welding->count() : mesh.vertex_count());
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t i = 1; i < face.size(); ++i) sets.join(vertex(face[0]), vertex(face[i]));
  }
  Components result;
  std::vector<Index> number(welding ? welding->count() : mesh.vertex_count(), kNone);
  result.of_face.assign(mesh.face_count(), kNone);
  for (Index f = 0; f < mesh.face_count(); ++f) {
    if (mesh.face(f).empty()) continue;
    Index& component = number[sets.find(vertex(mesh.face(f)[0]))];
    if (component == kNone) {
      component = result.count++;
      result.faces.push_back(0);
    }
    result.of_face[f] = component;
    ++result.faces[component];
  }
  result.of_vertex.resize(mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) result.of_vertex[v] = number[sets.find(vertex(v))];
  return result;
}

}  // namespace sinew::geometry
