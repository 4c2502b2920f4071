// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/segment.h"

#include <gtest/gtest.h>

#include "sinew/geometry/spatial/random.h"

namespace sinew::geometry {
namespace {

Vec3 any_point(Random& random) { return Vec3(random.uniform(), random.uniform(), random.uniform()); }

TEST(Segment, NoPointOfItIsNearerThanTheClosest) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p = any_point(random), a = any_point(random), b = any_point(random);
    const double distance = segment_distance(p, a, b);
    EXPECT_NEAR((segment_point(p, a, b) - p).norm(), distance, 1e-15);
    EXPECT_DOUBLE_EQ(distance * distance, segment_squared_distance(p, a, b));
    for (int k = 0; k <= 100; ++k) EXPECT_GE((a + 0.01 * k * (b - a) - p).norm(), distance - 1e-15);
  }
}

TEST(Segment, BeyondAnEndTheEndIsNearest) {
  const Vec3 a(1, 0, 0), b(3, 0, 0);
  EXPECT_EQ(segment_parameter(Vec3(-4, 1, 0), a, b), 0);
  EXPECT_EQ(segment_parameter(Vec3(9, 1, 0), a, b), 1);
  EXPECT_EQ(segment_parameter(Vec3(2.5, 7, -1), a, b), 0.75);
  EXPECT_EQ(segment_distance(Vec3(6, 4, 0), a, b), 5);
}

TEST(Segment, OneWithoutLengthIsAPoint) {
  const Vec3 a(1, 2, 3), p(1, 2, 5);
  EXPECT_EQ(segment_parameter(p, a, a), 0);
  EXPECT_EQ(segment_point(p, a, a), a);
  EXPECT_EQ(segment_distance(p, a, a), 2);
}

TEST(Segment, LiesInThePlaneAsInSpace) {
  EXPECT_EQ(segment_distance(Vec2(0, 0), Vec2(-1, 2), Vec2(1, 2)), 2);
  EXPECT_EQ(segment_distance(Vec2(0, 0), Vec2(3, 4), Vec2(6, 8)), 5);
}

}  // namespace
}  // namespace sinew::geometry
