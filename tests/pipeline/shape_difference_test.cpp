// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/shape_difference.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

TEST(ShapeDifference, IsTheDistanceInPercentOfTheSize) {
  const std::vector<Vec3> a = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  std::vector<Vec3> b = a;
  b[1] += Vec3(0.03, 0.04, 0);
  const ShapeDifference difference = shape_difference(a, b, 2);
  EXPECT_FLOAT_EQ(difference.percent[0], 0);
  EXPECT_NEAR(difference.percent[1], 2.5, 1e-6);
  EXPECT_NEAR(difference.max_percent, 2.5, 1e-9);
  EXPECT_NEAR(difference.rms_percent, 2.5 / std::sqrt(3.0), 1e-9);
  EXPECT_EQ(difference.farthest, 1U);
  const std::array<Index, 2> others = {0, 2};
  EXPECT_EQ(difference.max_percent_of(others), 0);
  EXPECT_EQ(shape_difference(a, a, 2).farthest, kNone);
}

TEST(ShapeDifference, VerticesInAnotherOrderAreNotTheSame) {
  const Mesh mesh = test::made_human().rig.mesh;
  Mesh moved = mesh, turned = mesh, fewer = mesh;
  for (Vec3& p : moved.positions) p.x() += 0.01;
  std::reverse(turned.positions.begin(), turned.positions.end());
  fewer.positions.pop_back();
  EXPECT_TRUE(have_same_vertices(mesh, moved));
  EXPECT_FALSE(have_same_vertices(mesh, turned));
  EXPECT_FALSE(have_same_vertices(mesh, fewer));
}

}  // namespace
}  // namespace sinew::pipeline
