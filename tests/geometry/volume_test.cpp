// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/volume.h"

#include <gtest/gtest.h>

#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TEST(Volume, OfSimpleBodiesIsExact) {
  EXPECT_NEAR(volume(tetrahedron()).volume, 1.0 / 6, 1e-15);
  EXPECT_NEAR(volume(cube()).volume, 1, 1e-15);
  EXPECT_NEAR(volume(cube()).area, 6, 1e-14);
  EXPECT_EQ(volume(Mesh{}).volume, 0);
}

TEST(Volume, OfABodyTurnedInsideOutIsNegative) {
  Mesh mesh = cube();
  for (Index f = 0; f < mesh.face_count(); ++f)
    std::reverse(mesh.face_vertices.begin() + mesh.face_offsets[f],
                 mesh.face_vertices.begin() + mesh.face_offsets[f + 1]);
  EXPECT_NEAR(volume(mesh).volume, -1, 1e-15);
}

TEST(Volume, RigidMotionDoesNotMatter) {
  const Mesh mesh = sphere();
  EXPECT_NEAR(volume(moved(mesh)).volume, volume(mesh).volume, 1e-13);
  EXPECT_NEAR(volume(moved(mesh)).area, volume(mesh).area, 1e-13);
}

TEST(Volume, PartsAddUp) {
  const Mesh mesh = as_parts(cube(), tetrahedron(Vec3(3, 0, 0)));
  const std::vector<Volume> parts = volumes(mesh);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_NEAR(parts[0].volume, 1, 1e-15);
  EXPECT_NEAR(parts[1].volume, 1.0 / 6, 1e-15);
  EXPECT_NEAR(volume(mesh).volume, 7.0 / 6, 1e-15);
}

TEST(Volume, SameBitsForAnyNumberOfThreads) {
  const Mesh mesh = sphere(120, 120);
  double one = 0, two = 0;
  {
    const Threads threads(1);
    one = volume(mesh).volume;
  }
  {
    const Threads threads(2);
    two = volume(mesh).volume;
  }
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace sinew::geometry
