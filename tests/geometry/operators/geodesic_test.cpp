// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/geodesic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/geometry/surfaces.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

const double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> heat_from(const TriangleSurface& s, std::vector<Index> sources) {
  return HeatGeodesics(s.positions, s.triangles).distances(sources).distance;
}

TriangleSurface two_components() {
  TriangleSurface s = flat_square(6, 0.4);
  const auto shift = static_cast<Index>(s.positions.size());
  const TriangleSurface other = icosphere(1);
  for (const Vec3& p : other.positions) s.positions.push_back(p + Vec3(9, 0, 0));
  for (const auto& t : other.triangles) s.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  s.positions.push_back({0, 0, 50});  // In no triangle.
  return s;
}

// Mean and largest error, relative to the largest true distance.
struct Errors {
  double mean = 0;
  double worst = 0;
};

template <class True>
Errors errors(const TriangleSurface& s, const std::vector<double>& found, True&& truth) {
  Errors e;
  double largest = 0;
  for (Index v = 0; v < found.size(); ++v) {
    const double expected = truth(s.positions[v]), missed = std::abs(found[v] - expected);
    largest = std::max(largest, expected);
    e.mean += missed / static_cast<double>(found.size());
    e.worst = std::max(e.worst, missed);
  }
  return {e.mean / largest, e.worst / largest};
}

TEST(HeatGeodesics, OnAPlaneAreStraightDistances) {
  const Index n = 60;
  for (const double jitter : {0.0, 0.22}) {
    const TriangleSurface s = flat_square(n, jitter);
    const Errors e = errors(s, heat_from(s, {n / 2 * (n + 1) + n / 2}), [](const Vec3& p) { return p.norm(); });
    EXPECT_LT(e.mean, 0.01);
    EXPECT_LT(e.worst, 0.03);
  }
}

TEST(HeatGeodesics, OnASphereAreGreatCirclesAndConverge) {
  double before = 1;
  for (const int levels : {2, 3, 4, 5}) {
    const TriangleSurface s = icosphere(levels);
    const Vec3 from = s.positions[7];
    const Errors e =
        errors(s, heat_from(s, {7}), [&](const Vec3& p) { return std::atan2(from.cross(p).norm(), from.dot(p)); });
    EXPECT_LT(e.mean, 0.75 * before);
    before = e.mean;
  }
  EXPECT_LT(before, 0.005);
}

TEST(HeatGeodesics, OnACylinderAreThoseOfTheUnrolledSheet) {
  const double height = 4;
  const TriangleSurface s = cylinder(64, 100, 1, height, false);
  const Index source = 32 * 100;
  const Errors e = errors(s, heat_from(s, {source}),
                          [&](const Vec3& p) { return std::hypot(std::atan2(p.y(), p.x()), p.z() - height / 2); });
  EXPECT_LT(e.mean, 0.01);
  EXPECT_LT(e.worst, 0.03);
}

TEST(HeatGeodesics, ThinTrianglesDoLittleHarm) {
  const TriangleSurface s = cylinder(16, 200, 1, 4, false);  // Eight times as long as wide.
  const Errors e = errors(s, heat_from(s, {8 * 200}),
                          [&](const Vec3& p) { return std::hypot(std::atan2(p.y(), p.x()), p.z() - 2); });
  EXPECT_LT(e.mean, 0.03);
}

TEST(HeatGeodesics, DoNotDependOnScaleAndPlace) {
  const TriangleSurface s = icosphere(3);
  const std::vector<double> plain = heat_from(s, {3});
  for (const double scale : {1e-4, 1e4}) {
    TriangleSurface other = s;
    for (Vec3& p : other.positions) p = scale * (p + Vec3(3, -2, 1));
    const std::vector<double> found = heat_from(other, {3});
    for (Index v = 0; v < plain.size(); ++v) EXPECT_NEAR(found[v] / scale, plain[v], 1e-8);
  }
}

TEST(HeatGeodesics, LeaveComponentsWithoutASourceInfinite) {
  const TriangleSurface s = two_components();
  const HeatGeodesics heat(s.positions, s.triangles);
  const auto count = static_cast<Index>(s.positions.size());
  const HeatDistances flat = heat.distances(std::vector<Index>{10});
  EXPECT_EQ(flat.distance[10], 0);
  EXPECT_EQ(flat.unreached_triangles, 0u);
  for (Index v = 0; v < 49; ++v) EXPECT_TRUE(std::isfinite(flat.distance[v]));
  for (Index v = 49; v < count; ++v) EXPECT_EQ(flat.distance[v], kInfinity);
  const HeatDistances both = heat.distances(std::vector<Index>{10, 60, count - 1});
  for (Index v = 0; v < count; ++v) EXPECT_TRUE(std::isfinite(both.distance[v]));
  EXPECT_EQ(heat.distances(std::vector<Index>{}).distance[0], kInfinity);
}

TEST(HeatGeodesics, FromSeveralSourcesIsNearTheLeastOfEach) {
  const TriangleSurface s = icosphere(4);
  const HeatGeodesics heat(s.positions, s.triangles);
  const std::vector<std::vector<Index>> sets = {{0}, {3}, {0, 3}};
  const std::vector<HeatDistances> found = heat.distances(std::span<const std::vector<Index>>(sets));
  double sum = 0;
  for (Index v = 0; v < s.positions.size(); ++v)
    sum += std::abs(found[2].distance[v] - std::min(found[0].distance[v], found[1].distance[v]));
  EXPECT_LT(sum / static_cast<double>(s.positions.size()), 0.02);
}

TEST(HeatGeodesics, SurviveDegenerateTriangles) {
  TriangleSurface s = icosphere(3);
  s.positions[100] = s.positions[101];
  s.triangles.push_back({1, 1, 2});
  s.triangles.push_back({5, 6, 5});
  const std::vector<double> found = heat_from(s, {0});
  for (const double d : found) EXPECT_TRUE(std::isfinite(d));
  const Vec3 from = s.positions[0];
  const Errors e = errors(s, found, [&](const Vec3& p) { return std::atan2(from.cross(p).norm(), from.dot(p)); });
  EXPECT_LT(e.mean, 0.03);
}

TEST(HeatGeodesics, SayWhenHeatDoesNotArrive) {
  TriangleSurface s = cylinder(3000, 3, 0.01, 60, false);
  const HeatDistances found = HeatGeodesics(s.positions, s.triangles).distances(std::vector<Index>{0});
  EXPECT_GT(found.unreached_triangles, 0u);
  const HeatDistances warmer = HeatGeodesics(s.positions, s.triangles, {.time = 25}).distances(std::vector<Index>{0});
  EXPECT_EQ(warmer.unreached_triangles, 0u);
  EXPECT_NEAR(warmer.distance[9000], 60, 1);
}

TEST(Geodesics, SameBitsForAnyNumberOfThreads) {
  const TriangleSurface s = torus(120, 40, 1, 0.3);
  const std::vector<std::vector<Index>> sets = {{0}, {70, 9}, {1234}, {8}};
  const auto heat = with_one_and_two_threads([&] {
    std::vector<double> all;
    for (const HeatDistances& d :
         HeatGeodesics(s.positions, s.triangles).distances(std::span<const std::vector<Index>>(sets)))
      all.insert(all.end(), d.distance.begin(), d.distance.end());
    return all;
  });
  EXPECT_EQ(heat.first, heat.second);
}

}  // namespace
}  // namespace sinew::geometry
