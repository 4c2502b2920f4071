// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/penetration.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "tests/geometry/surfaces.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

Mesh ball(int levels, const Vec3& center, double radius = 1) {
  Mesh mesh = as_mesh(icosphere(levels));
  const Quat turn = rotation_exp(0.1 * center + Vec3(0.2, 0.1, -0.3));
  for (Vec3& p : mesh.positions) p = center + radius * (turn * p);
  return mesh;
}

Mesh reversed(Mesh mesh) {
  for (Index f = 0; f < mesh.face_count(); ++f)
    std::reverse(mesh.face_vertices.begin() + mesh.face_offsets[f],
                 mesh.face_vertices.begin() + mesh.face_offsets[f + 1]);
  return mesh;
}

// A closed tube along a path in the plane z = 0; the radius goes evenly from the first to the last between two places.
Mesh tube_along(const std::vector<Vec3>& path, Index segments, double first, double last, Index from, Index to) {
  const auto count = static_cast<Index>(path.size());
  return as_mesh(rings(count, segments, [&](Index i, double u) {
    const double t = std::clamp((double(i) - from) / (to - from), 0.0, 1.0), radius = first + t * (last - first);
    const Vec3 ahead = (path[std::min(i + 1, count - 1)] - path[i > 0 ? i - 1 : 0]).normalized();
    return Vec3(path[i] + radius * (std::cos(u) * Vec3::UnitZ().cross(ahead) + std::sin(u) * Vec3::UnitZ()));
  }));
}

// Two straight legs whose axes lie `apart` from each other, joined by a wide round bend. The second is shorter.
Mesh hairpin(double first, double last, double apart, Index segments) {
  const double wide = 2, rise = wide - apart / 2;
  std::vector<Vec3> path;
  const auto add = [&](double x, double y) { path.push_back({x, y, 0}); };
  const auto step = [&](int i) { return apart / 2 + rise * (0.5 - 0.5 * std::cos(kPi * i / 40)); };
  for (int i = 0; i < 30; ++i) add(-6 + 0.1 * i, apart / 2);
  for (int i = 0; i <= 40; ++i) add(-3 + 0.1 * i, step(i));
  for (int i = 1; i < 40; ++i) {
    const double a = kPi / 2 - kPi * i / 40;
    add(1 + wide * std::cos(a), wide * std::sin(a));
  }
  for (int i = 40; i >= 0; --i) add(-3 + 0.1 * i, -step(i));
  for (int i = 29; i > 10; --i) add(-6.03 + 0.1 * i, -apart / 2);
  return tube_along(path, segments, first, last, 71, 110);
}

TEST(Penetration, OfTwoBallsIsTheirOverlap) {
  const double apart = 1.6;
  const Mesh mesh = joined(ball(4, {0, 0, 0}), ball(4, {apart, 0, 0}));
  const Penetration found = penetration(mesh);
  ASSERT_EQ(found.sets.size(), 1u);
  EXPECT_GT(found.pairs, 0u);
  EXPECT_EQ(found.sets[0].unmeasured, 0u);
  EXPECT_NEAR(found.max_depth, 2 - apart, 0.015);
  EXPECT_GT(found.sets[0].mean_depth, 0);
  EXPECT_LT(found.sets[0].mean_depth, found.max_depth);
  Index expected = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const bool first = v < mesh.vertex_count() / 2;
    const double inside = 1 - (mesh.positions[v] - Vec3(first ? apart : 0, 0, 0)).norm();
    if (inside > 0.003) {
      EXPECT_NEAR(found.depth[v], inside, 0.006);
      ++expected;
    } else if (inside < -1e-9) {
      EXPECT_EQ(found.depth[v], 0);
    }
  }
  EXPECT_NEAR(found.vertices, expected, 0.05 * expected);
}

TEST(Penetration, DoesNotDependOnFacingOrMotionOrOrder) {
  const Mesh mesh = joined(ball(3, {0, 0, 0}), ball(3, {1.5, 0.1, 0}));
  const Penetration found = penetration(mesh);
  for (const Mesh& other : {reversed(mesh), moved(mesh), shuffled(mesh, 4)}) {
    const Penetration again = penetration(other);
    EXPECT_EQ(again.vertices, found.vertices);
    EXPECT_EQ(again.pairs, found.pairs);
    EXPECT_NEAR(again.max_depth, found.max_depth, 1e-12);
  }
}

TEST(Penetration, SeparateAndNestedBallsHaveNone) {
  EXPECT_TRUE(penetration(joined(ball(3, {0, 0, 0}), ball(3, {2.5, 0, 0}))).sets.empty());
  const Penetration nested = penetration(joined(ball(3, {0, 0, 0}), ball(3, {0.1, 0, 0}, 0.5)));
  EXPECT_EQ(nested.vertices, 0u);
  EXPECT_EQ(penetration(Mesh{}).vertices, 0u);
}

TEST(Penetration, PlacesAreReportedApartDeepestFirst) {
  const Mesh mesh =
      joined(ball(3, {0, 0, 0}), joined(ball(3, {1.8, 0, 0}), joined(ball(3, {0, 9, 0}), ball(3, {0, 10.5, 0}))));
  const Penetration found = penetration(mesh);
  ASSERT_EQ(found.sets.size(), 2u);
  EXPECT_NEAR(found.sets[0].max_depth, 0.5, 0.03);
  EXPECT_NEAR(found.sets[1].max_depth, 0.2, 0.03);
  EXPECT_GT(mesh.positions[found.sets[0].deepest].y(), 8);
  EXPECT_NEAR((mesh.positions[found.sets[0].deepest] - found.sets[0].nearest).norm(), found.sets[0].max_depth, 1e-12);
}

TEST(Penetration, PartsCountOnlyWhenAsked) {
  const Mesh mesh = as_parts(ball(3, {0, 0, 0}), ball(3, {1.5, 0, 0}));
  EXPECT_GT(penetration(mesh).vertices, 0u);
  EXPECT_EQ(penetration(mesh, {.between_parts = false}).vertices, 0u);
}

TEST(Penetration, AFewMissingFacesDoNotMatter) {
  const Mesh whole = joined(ball(4, {0, 0, 0}), ball(4, {1.6, 0, 0}));
  Mesh mesh;
  mesh.positions = whole.positions;
  std::mt19937 random(2);
  for (Index f = 0; f < whole.face_count(); ++f)
    if (random() % 100 > 0) mesh.add_face(whole.face(f));
  const Penetration found = penetration(mesh);
  EXPECT_NEAR(found.max_depth, 0.4, 0.03);
  EXPECT_NEAR(found.vertices, penetration(whole).vertices, 0.05 * found.vertices);
}

TEST(Penetration, ClothCanLieInTheBodyButNotTheBodyInCloth) {
  // A wide open tube about a thick limb that comes through it on one side.
  const Mesh limb = as_mesh(cylinder(40, 60, 0.5, 4));
  Mesh sleeve = as_mesh(cylinder(30, 60, 0.5, 1.9, false));
  for (Vec3& p : sleeve.positions) p += Vec3(0.1, 0.013, 1.03);
  const Mesh mesh = joined(limb, sleeve);
  const Penetration found = penetration(mesh);
  EXPECT_GT(found.vertices, 0u);
  for (Index v = 0; v < limb.vertex_count(); ++v) EXPECT_EQ(found.depth[v], 0);
  EXPECT_NEAR(found.max_depth, 0.1, 0.01);
}

TEST(Penetration, OfAFoldedTubeIsTheOverlapOfItsLegs) {
  for (const double apart : {0.8, 0.9, 1.2}) {
    const Mesh mesh = hairpin(0.5, 0.5, apart, 40);
    const Penetration found = penetration(mesh);
    if (apart > 1) {
      EXPECT_EQ(found.vertices, 0u);
      continue;
    }
    EXPECT_NEAR(found.max_depth, 1 - apart, 0.02) << apart;
    EXPECT_GT(found.vertices, 50u);
  }
}

TEST(Penetration, FarSideOfALimbIsNotTheWayOut) {
  // A leg of radius 0.2 inside one of radius 0.9: straight through itself it would be out after 0.4.
  const Penetration found = penetration(hairpin(0.9, 0.2, 0.3, 40));
  EXPECT_NEAR(found.max_depth, 0.9 - 0.1, 0.02);
}

TEST(Penetration, OfASharpElbowStaysBelowItsThicknessAndKnowsNothingOfOthersNearby) {
  std::vector<Vec3> path;
  for (int i = 0; i < 30; ++i) path.push_back({-3 + 0.1 * i, 0, 0});
  for (int i = 0; i < 30; ++i) path.push_back({0, 0.1 * i, 0});
  const Mesh mesh = tube_along(path, 24, 0.5, 0.5, 0, 1);
  const Penetration found = penetration(mesh);
  EXPECT_GT(found.vertices, 20u);
  EXPECT_GT(found.max_depth, 0.2);
  // No vertex lies deeper than the radius, 0.5; near the crease the nearest way out counts as the vertex's own
  // neighbourhood, so that the next one is taken.
  EXPECT_LT(found.max_depth, 0.75);
  const Penetration beside = penetration(joined(mesh, ball(2, {-1.2, 1.3, 0}, 0.4)));
  for (Index v = 0; v < mesh.vertex_count(); ++v) EXPECT_EQ(beside.depth[v], found.depth[v]);
}

TEST(Penetration, SameForAnyNumberOfThreads) {
  const Mesh mesh = joined(ball(4, {0, 0, 0}), ball(4, {1.4, 0.2, 0}));
  const auto [one, two] = with_one_and_two_threads([&] { return penetration(mesh).depth; });
  EXPECT_EQ(one, two);
}

TEST(Penetration, StopsWhenCancelled) {
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(penetration(cube(), {}, progress), Cancelled);
}

}  // namespace
}  // namespace sinew::geometry
