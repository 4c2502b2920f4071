// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/sampling.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sinew/geometry/spatial/random.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TEST(Random, GivesTheNumbersOfSplitMix) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  Random many(1);
  std::array<int, 6> counts = {};
  for (int i = 0; i < 60000; ++i) ++counts[many.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
  double sum = 0;
  for (std::uint64_t stream = 0; stream < 20000; ++stream) sum += Random(7, stream).uniform();
  EXPECT_NEAR(sum / 20000, 0.5, 0.01);
}

TEST(Sampling, RandomPointsFollowTheAreaAndLieOnTheSurface) {
  Mesh mesh = mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {8, 0, 0}, {5, 3, 0}, {7, 7, 7}},
                      {{0, 1, 2}, {6, 6, 6}, {3, 4, 5}});  // Areas 1 : 0 : 9.
  const std::vector<SurfacePoint> points = random_surface_points(mesh, 20000, 3);
  ASSERT_EQ(points.size(), 20000u);
  int small = 0;
  Vec3 mean = Vec3::Zero();
  for (const SurfacePoint& point : points) {
    ASSERT_NE(point.face, 1u);
    small += point.face == 0;
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_GE(point.weights[i], 0);
      sum += point.weights[i] * mesh.positions[point.vertices[i]];
    }
    ASSERT_EQ(sum, point.position);
    if (point.face == 2) mean += point.position;
  }
  EXPECT_NEAR(small, 2000, 150);
  EXPECT_TRUE((mean / (20000 - small)).isApprox(Vec3(6, 1, 0), 0.01));
  EXPECT_TRUE(random_surface_points(Mesh{}, 5).empty());
}

// The obvious way, with the same rule for ties.
std::vector<Index> farthest_slowly(const std::vector<Vec3>& points, Index count, Index start) {
  std::vector<Index> chosen = {start};
  while (chosen.size() < count) {
    Index best = kNone;
    double far = 0;
    for (Index i = 0; i < points.size(); ++i) {
      double near = 1e300;
      for (const Index c : chosen) near = std::min(near, (points[i] - points[c]).squaredNorm());
      const auto key = [&](Index k) { return std::tuple(points[k].x(), points[k].y(), points[k].z(), k); };
      if (near > far || (near == far && best != kNone && key(i) < key(best))) far = near, best = i;
    }
    if (best == kNone) break;
    chosen.push_back(best);
  }
  return chosen;
}

RC_GTEST_PROP(Sampling, FarthestPointsAgreeWithTheObviousWay, (unsigned seed)) {
  std::mt19937 random(seed);
  std::vector<Vec3> points(1 + random() % 400);
  for (Vec3& p : points)
    for (double& x : p) x = static_cast<double>(random() % 7);  // Many ties and copies.
  const auto start = static_cast<Index>(random() % points.size());
  RC_ASSERT(farthest_points(points, 60, start) == farthest_slowly(points, 60, start));
}

TEST(Sampling, FarthestPointsDoNotDependOnTheOrderOfPoints) {
  const Mesh mesh = sphere(20, 30), other = shuffled(mesh, 5);
  const auto a = farthest_points(mesh.positions, 100), b = farthest_points(other.positions, 100);
  ASSERT_EQ(a.size(), 100u);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(mesh.positions[a[i]], other.positions[b[i]]);
  EXPECT_TRUE(farthest_points({}, 3).empty());
}

TEST(Sampling, PoissonDiskKeepsItsDistanceAndLeavesNoGap) {
  const Mesh mesh = sphere(60, 90);
  constexpr double kDistance = 0.1;
  const std::vector<SurfacePoint> points = poisson_disk(mesh, kDistance, 2);
  double least = 1e9;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, (points[i].position - points[j].position).norm());
  EXPECT_GE(least, kDistance);
  for (const Vec3& p : mesh.positions) {
    double near = 1e9;
    for (const SurfacePoint& point : points) near = std::min(near, (point.position - p).norm());
    ASSERT_LT(near, 1.5 * kDistance);
  }
}

TEST(Sampling, PoissonDiskGivesAboutTheNumberAskedFor) {
  const Mesh mesh = sphere(60, 90, Vec3(3, 4, 5), 7);
  for (const Index count : {100u, 1000u, 10000u}) {
    const auto points = poisson_disk(mesh, poisson_disk_distance(mesh, count));
    EXPECT_NEAR(static_cast<double>(points.size()) / count, 1, 0.1);
  }
  EXPECT_THROW(poisson_disk(mesh, 0), Error);
  EXPECT_THROW(poisson_disk(mesh, 1e-6), Error);
  EXPECT_TRUE(poisson_disk(Mesh{}, 1).empty());
}

TEST(Sampling, SameForAnyNumberOfThreads) {
  const auto run = [](int threads) {
    const Threads scope(threads);
    std::vector<Vec3> positions;
    for (const SurfacePoint& p : poisson_disk(sphere(), 0.02)) positions.push_back(p.position);
    return positions;
  };
  EXPECT_EQ(run(1), run(2));
}

}  // namespace
}  // namespace sinew::geometry
