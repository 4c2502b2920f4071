// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/section.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/volume.h"
#include "tests/geometry/surfaces.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TriangleSurface merged(TriangleSurface a, const TriangleSurface& b, const Vec3& shift = Vec3::Zero()) {
  const auto first = static_cast<Index>(a.positions.size());
  for (const Vec3& p : b.positions) a.positions.push_back(p + shift);
  for (const auto& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

TEST(Section, OfACylinderIsItsPolygonEverywhere) {
  const SectionCutter cutter(cylinder(7, 48, 0.5, 3));
  for (const double z : {0.1, 1.0 / 7, 0.37, 0.5, 0.99, 1.0}) {
    const Section s = cutter.cut({0, 0, 0}, {0, 0, 3}, z);
    ASSERT_EQ(s.loops.size(), 1u);
    EXPECT_NEAR(s.area, polygon_area(48, 0.5), 1e-13);
    EXPECT_NEAR(s.perimeter, 48 * 2 * 0.5 * std::sin(kPi / 48), 1e-13);
    EXPECT_NEAR(s.max_radius, 0.5, 1e-13);
    EXPECT_NEAR(s.min_radius, 0.5 * std::cos(kPi / 48), 1e-13);
    EXPECT_LT((s.centroid - Vec3(0, 0, 3 * z)).norm(), 1e-13);
    EXPECT_TRUE(s.surrounded);
    EXPECT_EQ(s.gaps, 0u);
  }
  EXPECT_TRUE(cutter.cut({0, 0, 0}, {0, 0, 3}, 1.2).loops.empty());
}

TEST(Section, AreaIsTheSameFromTheOtherEndAndAfterAMotion) {
  const TriangleSurface s = torus(40, 24, 1, 0.3);
  const Mesh there = moved(as_mesh(s));
  const Mesh ends = moved(mesh_of({{1, -1, 0}, {1, 1, 0}}, {}));
  const SectionCutter cutter(s), far(triangle_surface(there));
  for (const double t : {0.31, 0.5, 0.66}) {
    const Section one = cutter.cut({1, -1, 0}, {1, 1, 0}, t);
    EXPECT_GT(one.area, 0);
    EXPECT_NEAR(cutter.cut({1, 1, 0}, {1, -1, 0}, 1 - t).area, one.area, 1e-12);
    EXPECT_NEAR(far.cut(ends.positions[0], ends.positions[1], t).area, one.area, 1e-12);
  }
}

TEST(Section, OfAConeFallsWithTheSquareOfTheHeight) {
  const Index layers = 9;
  const TriangleSurface cone = rings(layers + 1, 40, [&](Index i, double u) {
    const double z = double(i) / layers, r = 1 - 0.9 * z;
    return Vec3(r * std::cos(u), r * std::sin(u), z);
  });
  const SectionCutter cutter(cone);
  for (const double z : {0.05, 0.4, 0.77})
    EXPECT_NEAR(cutter.cut({0, 0, 0}, {0, 0, 1}, z).area, polygon_area(40, 1 - 0.9 * z), 1e-12);
}

TEST(Section, OfASphereApproachesTheCircle) {
  const SectionCutter cutter(icosphere(5));
  const Vec3 axis = Vec3(0.3, 0.8, -0.5).normalized();
  for (const double h : {-0.7, 0.0, 0.35}) {
    const Section s = cutter.cut(-axis, axis, (h + 1) / 2);
    EXPECT_NEAR(s.area, kPi * (1 - h * h), 0.004);
    EXPECT_NEAR(s.perimeter, kTwoPi * std::sqrt(1 - h * h), 0.004);
  }
}

TEST(Section, OfATorusIsACircleAcrossAndARingAlong) {
  const double large = 1, small = 0.3;
  const SectionCutter cutter(torus(160, 80, large, small));
  const Section across = cutter.cut({large, -1, 0}, {large, 1, 0}, 0.5);
  EXPECT_EQ(across.loops.size(), 1u);
  EXPECT_EQ(across.left_out, 1u);  // The other side of the ring.
  EXPECT_NEAR(across.area, kPi * small * small, 1e-3);
  EXPECT_NEAR(cutter.cut({large, -1, 0}, {large, 1, 0}, 0.5, {SectionRule::kAll}).area, kTwoPi * small * small, 2e-3);
  const Section along = cutter.cut({0, 0, -1}, {0, 0, 1}, 0.55);
  const double half = std::sqrt(small * small - 0.01);
  EXPECT_EQ(along.loops.size(), 2u);
  EXPECT_NEAR(along.area, kPi * (std::pow(large + half, 2) - std::pow(large - half, 2)), 5e-3);
  EXPECT_NEAR(along.min_radius, large - half, 2e-3);
  EXPECT_NEAR(along.max_radius, large + half, 2e-3);
}

// Linear blending of a half turn: rings shrink to |1 − 2w| of their size, to a point in the middle.
TEST(Section, OfATubeTwistedByAHalfTurnShrinksToNothingInTheMiddle) {
  const Index layers = 20, segments = 32;
  const TriangleSurface tube = rings(layers + 1, segments, [&](Index i, double u) {
    const double w = double(i) / layers;
    const Vec3 straight(std::cos(u), std::sin(u), 2 * w), turned(-std::cos(u), -std::sin(u), 2 * w);
    return Vec3((1 - w) * straight + w * turned);
  });
  const SectionCutter cutter(tube);
  for (Index i = 1; i <= layers; ++i) {
    const double w = double(i) / layers;
    const Section s = cutter.cut({0, 0, 0}, {0, 0, 2}, w);
    EXPECT_NEAR(s.area, polygon_area(segments, 1 - 2 * w), 1e-12) << i;
    EXPECT_TRUE(std::isfinite(s.centroid.norm()));
  }
}

TEST(Section, AreasAlongTheAxisAddUpToTheVolume) {
  const Mesh mesh = as_mesh(torus(60, 30, 1, 0.4));
  double sum = 0;
  const Index count = 400;
  for (const Section& s : sections(mesh, {0, 0, -0.4}, {0, 0, 0.4}, count, {SectionRule::kAll})) sum += s.area;
  EXPECT_NEAR(sum * 0.8 / count, volume(mesh).volume, 2e-4 * volume(mesh).volume);
}

TEST(Section, OfAnArmLeavesOutTheTorso) {
  const TriangleSurface body =
      merged(cylinder(10, 60, 1, 4), merged(cylinder(10, 30, 0.3, 4), cylinder(10, 30, 0.1, 4)), {1.5, 0, 0});
  const SectionCutter cutter(body);
  const Section arm = cutter.cut({1.55, 0.1, 0}, {1.55, 0.1, 4}, 0.4);
  EXPECT_EQ(arm.loops.size(), 2u);  // The arm, and what is in it.
  EXPECT_EQ(arm.left_out, 1u);
  EXPECT_NEAR(arm.area, polygon_area(30, 0.3) + polygon_area(30, 0.1), 1e-12);
  const Section beside = cutter.cut({1.85, 0, 0}, {1.85, 0, 4}, 0.4);  // A bone that runs outside of the skin.
  EXPECT_FALSE(beside.surrounded);
  EXPECT_NEAR(beside.area, arm.area, 1e-12);
  EXPECT_EQ(cutter.cut({1.5, 0, 0}, {1.5, 0, 4}, 0.4, {SectionRule::kAll}).loops.size(), 3u);
}

TEST(Section, HolesAreTakenAway) {
  TriangleSurface hollow = cylinder(5, 40, 0.5, 2);
  TriangleSurface inner = cylinder(5, 40, 0.2, 2);
  for (auto& t : inner.triangles) std::swap(t[0], t[1]);
  const Section s = SectionCutter(merged(hollow, inner)).cut({0.3, 0, 0}, {0.3, 0, 2}, 0.5);
  EXPECT_NEAR(s.area, polygon_area(40, 0.5) - polygon_area(40, 0.2), 1e-12);
}

TEST(Section, GapsAreClosedAndCounted) {
  TriangleSurface open = cylinder(1, 36, 0.5, 2, false);
  open.triangles.erase(open.triangles.begin() + 40, open.triangles.begin() + 42);  // One side,
  open.triangles.erase(open.triangles.begin() + 10, open.triangles.begin() + 14);  // two sides elsewhere.
  const Section s = SectionCutter(open).cut({0, 0, 0}, {0, 0, 2}, 0.3);
  ASSERT_EQ(s.loops.size(), 1u);
  EXPECT_EQ(s.gaps, 2u);
  const double side = 2 * 0.5 * std::sin(kPi / 36);
  EXPECT_NEAR(s.loops[0].gap_length, side + 2 * 0.5 * std::sin(kTwoPi / 36), 1e-12);
  const double lost = 0.25 * (std::sin(kTwoPi / 36) - 0.5 * std::sin(4 * kPi / 36));
  EXPECT_NEAR(s.area, polygon_area(36, 0.5) - lost, 1e-12);
}

TEST(Section, FacesThatDisagreeDoNotBreakTheCurve) {
  TriangleSurface s = cylinder(3, 36, 0.5, 2);
  for (std::size_t i = 0; i < s.triangles.size(); i += 5) std::swap(s.triangles[i][0], s.triangles[i][1]);
  const Section cut = SectionCutter(s).cut({0, 0, 0}, {0, 0, 2}, 0.4);
  ASSERT_EQ(cut.loops.size(), 1u);
  EXPECT_EQ(cut.gaps, 0u);
  EXPECT_NEAR(cut.area, polygon_area(36, 0.5), 1e-12);
}

TEST(Section, SeamsOfAFileAreWelded) {
  Mesh mesh = as_mesh(cylinder(4, 20, 0.5, 2));
  Mesh split;  // Every face has vertices of its own.
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto first = split.vertex_count();
    for (const Index v : mesh.face(f)) split.positions.push_back(mesh.positions[v]);
    split.add_face(std::array<Index, 3>{first, first + 1, first + 2});
  }
  for (const Section& s : sections(split, {0, 0, 0}, {0, 0, 2}, 5)) {
    EXPECT_EQ(s.gaps, 0u);
    EXPECT_NEAR(s.area, polygon_area(20, 0.5), 1e-12);
  }
}

TEST(Section, RefusesAnAxisWithoutLength) {
  EXPECT_THROW(SectionCutter(icosphere(1)).cut({1, 2, 3}, {1, 2, 3}, 0.5), Error);
}

TEST(Section, SameBitsForAnyNumberOfThreads) {
  const Mesh mesh = as_mesh(torus(200, 80, 1, 0.4));
  const auto [one, two] = with_one_and_two_threads([&] {
    std::vector<double> all;
    for (const Section& s : sections(mesh, {-1, -1.2, 0.1}, {1, 1.3, 0.2}, 64))
      all.insert(all.end(), {s.area, s.perimeter, s.centroid.x(), s.min_radius, s.max_radius});
    return all;
  });
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace sinew::geometry
