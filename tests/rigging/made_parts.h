// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Meshes put together from boxes and balls.

#include <vector>

#include "tests/geometry/named_meshes.h"

namespace sinew::test {

/// Adds the vertices and faces of another mesh.
inline void append(Mesh& mesh, const Mesh& other) {
  const Index first = mesh.vertex_count();
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  for (Index f = 0; f < other.face_count(); ++f) {
    std::vector<Index> face(other.face(f).begin(), other.face(f).end());
    for (Index& v : face) v += first;
    mesh.add_face(face);
  }
}

inline Mesh box(const Vec3& center, const Vec3& size) {
  Mesh mesh = cube();
  for (Vec3& p : mesh.positions) p = center + size.cwiseProduct(p - Vec3::Constant(0.5));
  return mesh;
}

}  // namespace sinew::test
