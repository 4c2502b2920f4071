// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/facing.h"

#include <gtest/gtest.h>

#include "tests/geometry/field_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

struct Turned {
  std::vector<TriangleVertices> triangles;
  Facing facing;
};

Turned turn(const Mesh& mesh) {
  Turned result{triangle_vertices(mesh), {}};
  result.facing = solid_facing({mesh.positions, result.triangles});
  return result;
}

double winding_at(const Mesh& mesh, const Vec3& p) {
  const Turned turned = turn(mesh);
  return direct_winding({mesh.positions, turned.triangles}, p, turned.facing.signs);
}

TEST(Facing, LeavesAGoodMeshAlone) {
  const Turned turned = turn(joined(torus(1, 0.3), sphere()));
  EXPECT_EQ(turned.facing.signs, std::vector<std::int8_t>(turned.triangles.size(), 1));
  EXPECT_EQ(turned.facing.shells, 2U);
  EXPECT_EQ(turned.facing.turned_shells + turned.facing.cavities + turned.facing.mended_shells, 0U);
}

TEST(Facing, TurnsAFlippedPartBesideOthers) {
  const Mesh mesh = joined(sphere(), flipped(shifted(sphere(), Vec3(1.5, 0, 0))));
  EXPECT_EQ(turn(mesh).facing.turned_shells, 1U);
  EXPECT_NEAR(winding_at(mesh, {-0.3, 0.1, 0}), 1, 1e-9);
  EXPECT_NEAR(winding_at(mesh, {1.8, 0.1, 0}), 1, 1e-9);
}

TEST(Facing, TurnsACharacterThatIsInsideOut) {
  const Mesh mesh = flipped(joined(sphere(), sphere(12, 16, Vec3::Zero(), 0.4)));
  EXPECT_EQ(turn(mesh).facing.turned_shells, 2U);
  EXPECT_NEAR(winding_at(mesh, {0.05, 0.1, 0}), 2, 1e-9);
}

TEST(Facing, KeepsACavityHollow) {
  const Mesh mesh = joined(sphere(), flipped(sphere(12, 16, Vec3::Zero(), 0.4)));
  EXPECT_EQ(turn(mesh).facing.cavities, 1U);
  EXPECT_NEAR(winding_at(mesh, {0.05, 0.1, 0}), 0, 1e-9);
  EXPECT_NEAR(winding_at(mesh, {0.6, 0.1, 0}), 1, 1e-9);
}

TEST(Facing, MakesTheTrianglesOfAShellAgree) {
  Mesh mesh = sphere();
  std::mt19937 random(4);
  for (Index f = 0; f < mesh.face_count(); ++f)
    if (random() % 3 == 0) std::swap(mesh.face_vertices[3 * f], mesh.face_vertices[3 * f + 1]);
  EXPECT_EQ(turn(mesh).facing.mended_shells, 1U);
  EXPECT_NEAR(winding_at(mesh, {0.2, 0.1, 0}), 1, 1e-9);
}

TEST(Facing, TurnsAFlippedOpenShell) {
  const Mesh mesh = with_holes(flipped(sphere(24, 32)), 0.05, 9);
  EXPECT_GT(winding_at(mesh, {0.2, 0.1, 0}), 0.8);
}

TEST(Facing, LeavesSheetsAlone) {
  const Mesh mesh = mesh_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2, 3}});
  EXPECT_EQ(turn(mesh).facing.signs, (std::vector<std::int8_t>{1, 1}));
  EXPECT_EQ(turn(flipped(mesh)).facing.signs, (std::vector<std::int8_t>{1, 1}));
}

TEST(Facing, EndsOnAStripWithoutSides) { EXPECT_EQ(turn(moebius_strip()).facing.shells, 1U); }

}  // namespace
}  // namespace sinew::geometry
