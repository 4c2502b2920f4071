// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Tiny meshes whose numbers can be counted by hand, and ways to change a mesh without changing its shape.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <random>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/mesh.h"
#include "sinew/core/rotation.h"
#include "tests/support/threads.h"

namespace sinew::test {

inline Mesh mesh_of(std::vector<Vec3> positions, std::initializer_list<std::vector<Index>> faces) {
  Mesh mesh;
  mesh.positions = std::move(positions);
  for (const auto& face : faces) mesh.add_face(face);
  return mesh;
}

/// Corner at the origin, legs along the axes, facing outwards: volume 1/6.
inline Mesh tetrahedron(const Vec3& at = Vec3::Zero(), double scale = 1) {
  return mesh_of({at, at + scale * Vec3::UnitX(), at + scale * Vec3::UnitY(), at + scale * Vec3::UnitZ()},
                 {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
}

/// Unit cube of quads, facing outwards; its last face is the top (z = 1).
inline Mesh cube() {
  std::vector<Vec3> p;
  for (int i = 0; i < 8; ++i) p.push_back(Vec3(i & 1, (i >> 1) & 1, (i >> 2) & 1));
  return mesh_of(std::move(p), {{0, 2, 3, 1}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}, {4, 5, 7, 6}});
}

/// A cube without its top.
inline Mesh open_box() {
  Mesh mesh = cube();
  mesh.face_offsets.pop_back();
  mesh.face_vertices.resize(mesh.face_offsets.back());
  return mesh;
}

/// A strip of quads closed with a half turn.
inline Mesh moebius_strip(Index quads = 12) {
  Mesh mesh;
  for (Index i = 0; i < quads; ++i) {
    const double a = kTwoPi * i / quads;
    for (const double s : {-0.3, 0.3})
      mesh.positions.push_back(
          {(1 + s * std::cos(a / 2)) * std::cos(a), (1 + s * std::cos(a / 2)) * std::sin(a), s * std::sin(a / 2)});
  }
  for (Index i = 0; i < quads; ++i) {
    const Index a = 2 * i, b = 2 * i + 1;
    const bool last = i + 1 == quads;
    const Index c = last ? 1 : 2 * i + 2, d = last ? 0 : 2 * i + 3;
    mesh.add_face(std::vector<Index>{a, c, d, b});
  }
  return mesh;
}

/// Triangles on a sphere, facing outwards.
inline Mesh sphere(Index rings = 12, Index segments = 16, const Vec3& center = Vec3::Zero(), double radius = 1) {
  Mesh mesh;
  mesh.positions.push_back(center + radius * Vec3::UnitY());
  for (Index r = 1; r < rings; ++r)
    for (Index s = 0; s < segments; ++s) {
      const double t = kPi * r / rings, u = kTwoPi * s / segments;
      mesh.positions.push_back(center +
                               radius * Vec3(std::sin(t) * std::cos(u), std::cos(t), std::sin(t) * std::sin(u)));
    }
  mesh.positions.push_back(center - radius * Vec3::UnitY());
  const Index south = mesh.vertex_count() - 1;
  const auto at = [&](Index r, Index s) { return 1 + (r - 1) * segments + s % segments; };
  for (Index s = 0; s < segments; ++s) {
    mesh.add_face(std::vector<Index>{0, at(1, s + 1), at(1, s)});
    for (Index r = 1; r + 1 < rings; ++r) {
      mesh.add_face(std::vector<Index>{at(r, s), at(r, s + 1), at(r + 1, s)});
      mesh.add_face(std::vector<Index>{at(r, s + 1), at(r + 1, s + 1), at(r + 1, s)});
    }
    mesh.add_face(std::vector<Index>{south, at(rings - 1, s), at(rings - 1, s + 1)});
  }
  return mesh;
}

/// Both meshes in one, without parts.
inline Mesh joined(const Mesh& a, const Mesh& b) {
  Mesh mesh = a;
  mesh.positions.insert(mesh.positions.end(), b.positions.begin(), b.positions.end());
  for (Index f = 0; f < b.face_count(); ++f) {
    std::vector<Index> face(b.face(f).begin(), b.face(f).end());
    for (Index& v : face) v += a.vertex_count();
    mesh.add_face(face);
  }
  return mesh;
}

/// Both meshes as two parts of one.
inline Mesh as_parts(const Mesh& a, const Mesh& b) {
  Mesh mesh = joined(a, b);
  mesh.parts.resize(2);
  mesh.parts[0].vertex_count = a.vertex_count();
  mesh.parts[0].face_count = a.face_count();
  mesh.parts[1].first_vertex = a.vertex_count();
  mesh.parts[1].vertex_count = b.vertex_count();
  mesh.parts[1].first_face = a.face_count();
  mesh.parts[1].face_count = b.face_count();
  return mesh;
}

/// Another order of vertices and faces, and another first corner of each face.
inline Mesh shuffled(const Mesh& mesh, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Index> vertices(mesh.vertex_count()), faces(mesh.face_count());
  std::iota(vertices.begin(), vertices.end(), Index{0});
  std::iota(faces.begin(), faces.end(), Index{0});
  std::shuffle(vertices.begin(), vertices.end(), random);
  std::shuffle(faces.begin(), faces.end(), random);
  Mesh result;
  result.positions.resize(mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) result.positions[vertices[v]] = mesh.positions[v];
  for (const Index f : faces) {
    std::vector<Index> face;
    for (const Index v : mesh.face(f)) face.push_back(vertices[v]);
    if (!face.empty())
      std::rotate(face.begin(), face.begin() + static_cast<std::ptrdiff_t>(random() % face.size()), face.end());
    result.add_face(face);
  }
  return result;
}

inline Mesh moved(Mesh mesh) {
  const Quat turn = rotation_exp(Vec3(0.3, -1.1, 0.7));
  for (Vec3& p : mesh.positions) p = turn * p + Vec3(0.4, 2.5, -1.5);
  return mesh;
}

}  // namespace sinew::test
