// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/normals.h"

#include <gtest/gtest.h>

#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TEST(Normals, CubeFacesPointAlongTheAxesAndItsVerticesAlongDiagonals) {
  for (const Vec3& n : face_normals(cube())) EXPECT_NEAR(n.cwiseAbs().maxCoeff(), 1, 1e-15);
  EXPECT_EQ(face_normals(cube()).back(), Vec3(0, 0, 1));
  const std::vector<Vec3> n = vertex_normals(cube());
  for (Index v = 0; v < 8; ++v)
    EXPECT_TRUE(n[v].isApprox((cube().positions[v] - Vec3::Constant(0.5)).normalized(), 1e-14));
}

TEST(Normals, DoNotDependOnHowQuadsAreCut) {
  const Mesh quads = cube();
  Mesh triangles;
  triangles.positions = quads.positions;
  for (const Triangle& t : triangulate(quads)) triangles.add_face(t.vertices);
  const std::vector<Vec3> a = vertex_normals(quads), b = vertex_normals(triangles);
  for (Index v = 0; v < 8; ++v) EXPECT_TRUE(a[v].isApprox(b[v], 1e-14));
}

TEST(Normals, SphereNormalsAreRadial) {
  const Mesh mesh = sphere(40, 60);
  const std::vector<Vec3> n = vertex_normals(mesh);
  for (Index v = 0; v < mesh.vertex_count(); ++v) ASSERT_GT(n[v].dot(mesh.positions[v]), 0.999);
}

TEST(Normals, DegenerateFacesHaveNoWeight) {
  Mesh mesh = cube();
  const std::vector<Vec3> before = vertex_normals(mesh);
  mesh.positions.push_back(Vec3(0.5, 0, 0));
  mesh.add_face(std::vector<Index>{0, 8, 1});
  mesh.add_face(std::vector<Index>{0, 0, 1});
  mesh.add_face(std::vector<Index>{0, 7});
  const std::vector<Vec3> after = vertex_normals(mesh);
  for (Index v = 0; v < 8; ++v) EXPECT_EQ(before[v], after[v]);
  EXPECT_EQ(after[8], Vec3(0, 0, 0));
  EXPECT_EQ(face_normals(mesh)[6], Vec3(0, 0, 0));
}

TEST(Normals, HollowCornerOfAPolygonCountsItsWholeAngle) {
  // A roof over an L: at its hollow corner the floor takes up 270° and each of the two walls 90°.
  const Mesh mesh =
      mesh_of({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}, {2, 1, -1}, {1, 1, -1}, {1, 2, -1}},
              {{0, 1, 2, 3, 4, 5}, {2, 6, 7, 3}, {3, 7, 8, 4}});
  const Vec3 expected = (3 * Vec3(0, 0, 1) + Vec3(0, 1, 0) + Vec3(1, 0, 0)).normalized();
  EXPECT_TRUE(vertex_normals(mesh)[3].isApprox(expected, 1e-14));
}

TEST(Normals, SameForAnyNumberOfThreads) {
  const auto run = [](int threads) {
    const Threads scope(threads);
    const Mesh mesh = moved(sphere(90, 120));
    const Welding welding = weld(mesh);
    return vertex_normals(mesh, &welding);
  };
  EXPECT_EQ(run(1), run(2));
}

}  // namespace
}  // namespace sinew::geometry
