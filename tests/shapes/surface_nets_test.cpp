// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface_nets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sinew::shapes {
namespace {

Box cube(double half) {
  Box box;
  box.extend(Vec3::Constant(-half));
  box.extend(Vec3::Constant(half));
  return box;
}

double ball(const Vec3& p) { return p.norm() - 1; }

double ring(const Vec3& p) { return std::hypot(std::hypot(p.x(), p.y()) - 1, p.z()) - 0.4; }

/// Two balls, closer to each other than a cell.
double near_pair(const Vec3& p) { return (Vec3(std::abs(p.x()), p.y(), p.z()) - Vec3(0.52, 0, 0)).norm() - 0.5; }

long euler(const QuadSurface& surface) {
  // A closed surface of quads has two edges per quad.
  return static_cast<long>(surface.positions.size()) - static_cast<long>(surface.quads.size());
}

TEST(SurfaceNets, EulerNumberIsThatOfTheShape) {
  for (const double cell : {0.31, 0.2, 0.11}) {
    EXPECT_EQ(euler(surface_nets(ball, cube(1.1), cell)), 2);
    EXPECT_EQ(euler(surface_nets(ring, cube(1.6), cell)), 0);
  }
}

TEST(SurfaceNets, SheetsNearerThanACellStayApart) {
  const QuadSurface surface = surface_nets(near_pair, cube(1.2), 0.12);
  EXPECT_TRUE(is_closed_manifold(surface));
  EXPECT_EQ(euler(surface), 4);
}

TEST(SurfaceNets, FacesLookOutwards) {
  const QuadSurface surface = surface_nets(ball, cube(1.1), 0.2);
  for (const std::array<Index, 4>& quad : surface.quads) {
    const Vec3& a = surface.positions[quad[0]];
    const Vec3 normal = (surface.positions[quad[2]] - a).cross(surface.positions[quad[3]] - surface.positions[quad[1]]);
    EXPECT_GT(normal.dot(a), 0);
  }
}

TEST(SurfaceNets, MirrorImageIsExact) {
  QuadSurface surface = surface_nets(ring, cube(1.6), 0.17);
  relax(surface, ring, 0.17, 3);
  for (std::size_t i = 0; i < surface.positions.size(); ++i) {
    const Vec3& p = surface.positions[i];
    const Index other = surface.mirror[i];
    EXPECT_EQ(surface.mirror[other], i);
    EXPECT_EQ(surface.positions[other], Vec3(-p.x(), p.y(), p.z()));
    EXPECT_NE(p.x(), 0);
  }
}

TEST(SurfaceNets, RelaxPutsVerticesOnTheSurface) {
  QuadSurface surface = surface_nets(ball, cube(1.1), 0.2);
  relax(surface, ball, 0.2, 4);
  for (const Vec3& p : surface.positions) EXPECT_NEAR(p.norm(), 1, 1e-4);
}

TEST(SurfaceNets, ManifoldCheckFindsWhatIsBroken) {
  const QuadSurface whole = surface_nets(ball, cube(1.1), 0.3);
  ASSERT_TRUE(is_closed_manifold(whole));
  QuadSurface hole = whole;
  hole.quads.pop_back();
  EXPECT_FALSE(is_closed_manifold(hole));
  QuadSurface flipped = whole;
  std::reverse(flipped.quads[3].begin(), flipped.quads[3].end());
  EXPECT_FALSE(is_closed_manifold(flipped));
  // Two poles that are one vertex: every edge is in order, the fans are not.
  QuadSurface pinched = whole;
  const Index low = pinched.quads.front()[0];
  const Index high = pinched.quads.back()[0];
  for (std::array<Index, 4>& quad : pinched.quads) std::replace(quad.begin(), quad.end(), high, low);
  EXPECT_FALSE(is_closed_manifold(pinched));
}

}  // namespace
}  // namespace sinew::shapes
