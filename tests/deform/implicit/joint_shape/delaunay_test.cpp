// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/delaunay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/random.h"

namespace sinew::deform {
namespace {

double volume_of(const std::vector<Vec3>& points, const std::array<Index, 4>& c) {
  return (points[c[1]] - points[c[0]]).cross(points[c[2]] - points[c[0]]).dot(points[c[3]] - points[c[0]]) / 6;
}

TEST(Delaunay, NoPointIsInsideTheBallOfACell) {
  geometry::Random dice(7);
  std::vector<Vec3> points;
  for (int i = 0; i < 200; ++i) {
    const double x = dice.uniform(), y = dice.uniform(), z = dice.uniform();
    points.emplace_back(x, 2 * y, 0.5 * z);
  }
  const DelaunayCells all = delaunay_cells(points);
  ASSERT_GT(all.cells.size(), points.size());
  for (const auto& cell : all.cells) {
    EXPECT_GT(volume_of(points, cell), 0);
    const Vec3 center = DelaunayCells::center(points, cell);
    const double radius = (points[cell[0]] - center).norm();
    if (radius > 50) continue;  // Flat cells at the hull: rounding.
    for (const Vec3& p : points) EXPECT_GE((p - center).norm(), radius * (1 - 1e-4));
  }
}

TEST(Delaunay, CellsFillAPrismWhoseRingsAreOnCommonBalls) {
  std::vector<Vec3> points;
  constexpr int kAround = 20, kRings = 12;
  for (int i = 0; i < kRings; ++i)
    for (int k = 0; k < kAround; ++k)
      points.emplace_back(std::cos(kTwoPi * k / kAround), std::sin(kTwoPi * k / kAround), 0.2 * i);
  const DelaunayCells all = delaunay_cells(points);
  double sum = 0;
  for (const auto& cell : all.cells) sum += volume_of(points, cell);
  EXPECT_NEAR(sum, 0.5 * kAround * std::sin(kTwoPi / kAround) * 0.2 * (kRings - 1), 1e-5);
}

TEST(Delaunay, NeighboursShareAFace) {
  geometry::Random dice(3);
  std::vector<Vec3> points;
  for (int i = 0; i < 60; ++i) {
    const double x = dice.uniform(), y = dice.uniform(), z = dice.uniform();
    points.emplace_back(x, y, z);
  }
  const DelaunayCells all = delaunay_cells(points);
  for (Index c = 0; c < all.cells.size(); ++c)
    for (std::size_t k = 0; k < 4; ++k) {
      const Index other = all.beyond[c][k];
      if (other == DelaunayCells::kOutside) continue;
      EXPECT_NE(std::count(all.beyond[other].begin(), all.beyond[other].end(), c), 0);
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(std::count(all.cells[other].begin(), all.cells[other].end(), all.cells[c][i]), i == k ? 0 : 1);
    }
}

TEST(Delaunay, NothingOfPointsInAPlaneOrTooFew) {
  EXPECT_TRUE(delaunay_cells(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).cells.empty());
}

}  // namespace
}  // namespace sinew::deform
