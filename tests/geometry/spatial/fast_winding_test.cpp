// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/fast_winding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sinew/geometry/spatial/winding_number.h"
#include "tests/geometry/field_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

// The largest difference from the direct sum.
double worst_error(const Mesh& mesh, double beta, std::size_t points = 400) {
  const std::vector<TriangleVertices> triangles = triangle_vertices(mesh);
  const FastWinding winding(mesh);
  double worst = 0;
  for (const Vec3& p : random_points(mesh.bounds(), points, 11, 0.5))
    worst = std::max(worst, std::abs(winding.at(p, beta) - direct_winding({mesh.positions, triangles}, p)));
  return worst;
}

Mesh many_shells() {
  Mesh mesh;
  for (int i = 0; i < 12; ++i) {
    const Mesh ball = sphere(14, 20, Vec3(0.7 * (i % 4), 0.6 * (i / 4), 0.1 * i), 0.3 + 0.05 * i);
    mesh = joined(mesh, i % 3 == 2 ? flipped(ball) : ball);
  }
  return mesh;
}

TEST(FastWinding, AgreesWithTheDirectSumOnAnOpenMesh) {
  Mesh open = torus(1, 0.4);
  open = with_holes(open, 0.3, 3);
  EXPECT_LT(worst_error(open, 2), 1e-2);
  EXPECT_LT(worst_error(moebius_strip(600), 2), 1e-2);
}

TEST(FastWinding, AgreesWithTheDirectSumOnManyShellsSomeFlipped) {
  EXPECT_LT(worst_error(many_shells(), 2), 1e-2);
  EXPECT_LT(worst_error(flipped(torus(1, 0.4)), 2), 1e-2);
}

TEST(FastWinding, ErrorFallsWithTheCubeOfBeta) {
  const Mesh mesh = with_holes(many_shells(), 0.1, 5);
  const double two = worst_error(mesh, 2), four = worst_error(mesh, 4), eight = worst_error(mesh, 8);
  EXPECT_LT(four, two / 5);
  EXPECT_LT(eight, four / 5);
  EXPECT_LT(worst_error(mesh, 1e9), 1e-12);  // All triangles count by themselves.
}

TEST(FastWinding, AgreesWithTheExactWindingNumbersOfClosedAndOpenMeshes) {
  for (const Mesh& mesh : {many_shells(), with_holes(torus(1, 0.4), 0.02, 8)}) {
    const std::vector<Vec3> points = random_points(mesh.bounds(), 500, 21);
    const Welding welding = weld(mesh);
    const std::vector<double> exact = winding_numbers(mesh, welding, topology(mesh, welding), points);
    const std::vector<double> fast = FastWinding(mesh).at(points);
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(fast[i], exact[i], 1e-2);
  }
}

TEST(FastWinding, SignsTurnAndDropTriangles) {
  const Mesh mesh = joined(sphere(), shifted(sphere(), Vec3(3, 0, 0)));
  const std::vector<TriangleVertices> triangles = triangle_vertices(mesh);
  std::vector<std::int8_t> signs(triangles.size(), 0);
  std::fill(signs.begin(), signs.begin() + static_cast<std::ptrdiff_t>(signs.size() / 2), std::int8_t{-1});
  const FastWinding winding({mesh.positions, triangles}, signs);
  EXPECT_NEAR(winding.at(Vec3(0.1, 0.2, 0.1)), -1, 1e-3);
  EXPECT_NEAR(winding.at(Vec3(3.1, 0.2, 0.1)), 0, 1e-3);
}

TEST(FastWinding, HasNoErrorNearTinyDetailOfALargeMesh) {
  // A speck of 1e-6 of the size, whose own inside and outside must still be told apart.
  const Vec3 at(0.3, 0.2, 3.0);
  const Mesh mesh = joined(sphere(40, 60), sphere(12, 16, at, 1e-6));
  const FastWinding winding(mesh);
  EXPECT_NEAR(winding.at(at + Vec3(2e-7, 1e-7, 0)), 1, 2e-3);
  EXPECT_NEAR(winding.at(at + Vec3(1.2e-6, 1e-7, 0)), 0, 2e-3);
}

TEST(FastWinding, IsZeroWithoutTriangles) {
  EXPECT_EQ(FastWinding(Mesh{}).at(Vec3(1, 2, 3)), 0);
  EXPECT_EQ(FastWinding().at(Vec3(1, 2, 3)), 0);
}

TEST(FastWinding, RefusesPositionsThatAreNotFinite) {
  Mesh mesh = tetrahedron();
  mesh.positions[2].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(FastWinding{mesh}, Error);
}

TEST(FastWinding, HasTheSameBitsForAnyNumberOfThreads) {
  // Doubled faces have equal centres: the order of equals must not matter.
  const Mesh mesh = joined(joined(torus(1, 0.4, 200, 120), torus(1, 0.4, 200, 120)), flipped(many_shells()));
  const std::vector<Vec3> points = random_points(mesh.bounds(), 2000, 2);
  std::vector<double> one, two;
  {
    const Threads threads(1);
    one = FastWinding(mesh).at(points);
  }
  {
    const Threads threads(2);
    two = FastWinding(mesh).at(points);
  }
  EXPECT_EQ(one, two);
}

RC_GTEST_PROP(FastWinding, IsTheDirectSumOnSoups, ()) {
  const auto seed = *rc::gen::arbitrary<unsigned>();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  Mesh mesh;
  for (int i = 0; i < 120; ++i) {
    const Vec3 at(coordinate(random), coordinate(random), coordinate(random));
    for (int k = 0; k < 3; ++k)
      mesh.positions.push_back(at + 0.3 * Vec3(coordinate(random), coordinate(random), coordinate(random)));
    mesh.add_face(std::vector<Index>{Index(3 * i), Index(3 * i + 1), Index(3 * i + 2)});
  }
  RC_ASSERT(worst_error(mesh, 2, 20) < 0.02);
  RC_ASSERT(worst_error(mesh, 1e9, 20) < 1e-11);
}

}  // namespace
}  // namespace sinew::geometry
