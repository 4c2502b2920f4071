// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/solid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace sinew::studio {
namespace {

// A tetrahedron that faces outwards, at a place.
void add_tetrahedron(Mesh& mesh, const Vec3& at) {
  const auto first = static_cast<Index>(mesh.positions.size());
  for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)})
    mesh.positions.push_back(corner + at);
  for (const std::array<Index, 3>& face : {std::array<Index, 3>{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})
    mesh.add_face(std::array<Index, 3>{first + face[0], first + face[1], first + face[2]});
}

TEST(Solid, AClosedShellThatFacesOutwardsIs) {
  Mesh mesh;
  add_tetrahedron(mesh, Vec3(0, 0, 0));
  add_tetrahedron(mesh, Vec3(5, 0, 0));
  EXPECT_EQ(solid_faces(mesh), std::vector<char>(8, 1));
}

TEST(Solid, OpenInvertedAndInconsistentShellsAreNotAndOthersStaySo) {
  Mesh mesh;
  add_tetrahedron(mesh, Vec3(0, 0, 0));
  add_tetrahedron(mesh, Vec3(5, 0, 0));
  std::vector<char> expected(8, 1);
  std::fill(expected.begin() + 4, expected.end(), 0);

  Mesh open = mesh;
  open.face_vertices.resize(21);
  open.face_offsets.pop_back();
  expected.pop_back();
  EXPECT_EQ(solid_faces(open), expected);
  expected.push_back(0);

  Mesh inverted = mesh;
  for (std::size_t corner = 12; corner < 24; corner += 3)
    std::swap(inverted.face_vertices[corner], inverted.face_vertices[corner + 1]);
  EXPECT_EQ(solid_faces(inverted), expected);

  Mesh inconsistent = mesh;
  std::swap(inconsistent.face_vertices[12], inconsistent.face_vertices[13]);
  EXPECT_EQ(solid_faces(inconsistent), expected);
}

// Files split vertices where textures have seams.
TEST(Solid, SeamsOfTexturesDoNotOpenAShell) {
  Mesh mesh;
  add_tetrahedron(mesh, Vec3(0, 0, 0));
  mesh.positions.push_back(mesh.positions[3]);
  mesh.face_vertices[11] = 4;
  EXPECT_EQ(solid_faces(mesh), std::vector<char>(4, 1));
}

}  // namespace
}  // namespace sinew::studio
