// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/volume.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "tests/geometry/surfaces.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TEST(Volume, OfSimpleBodiesIsExact) {
  EXPECT_NEAR(volume(tetrahedron()).volume, 1.0 / 6, 1e-15);
  EXPECT_NEAR(volume(cube()).volume, 1, 1e-15);
  EXPECT_NEAR(volume(cube()).area, 6, 1e-14);
  EXPECT_EQ(volume(Mesh{}).volume, 0);
}

TEST(Volume, OfAPrismIsItsBaseTimesItsHeight) {
  const Volume v = volume(as_mesh(cylinder(5, 24, 0.7, 3)));
  EXPECT_NEAR(v.volume, 3 * polygon_area(24, 0.7), 1e-13);
  EXPECT_NEAR(v.area, 2 * polygon_area(24, 0.7) + 3 * 24 * 2 * 0.7 * std::sin(kPi / 24), 1e-12);
}

TEST(Volume, OfABallAndARingConvergesWithTheSquareOfTheEdge) {
  const double ball = 4 * kPi / 3, ring = kTwoPi * kPi * 0.3 * 0.3;
  double ball_before = 0, ring_before = 0;
  for (int level = 2; level <= 4; ++level) {
    const double ball_error = ball - volume(as_mesh(icosphere(level))).volume;
    const double ring_error = ring - volume(as_mesh(torus(16u << level, 8u << level, 1, 0.3))).volume;
    if (level > 2) {
      EXPECT_NEAR(ball_before / ball_error, 4, 0.1);
      EXPECT_NEAR(ring_before / ring_error, 4, 0.1);
    }
    ball_before = ball_error, ring_before = ring_error;
  }
  EXPECT_LT(ball_before / ball, 0.005);
  EXPECT_LT(ring_before / ring, 0.001);
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
