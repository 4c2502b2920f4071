// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/limb.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

/// A body and the ways from one of its places, given in the mesh's units.
struct Limbed {
  Interior inside;
  BodyWays ways;
  std::vector<float> from_body;

  Limbed(const Mesh& mesh, const Vec3& body)
      : inside(interior(mesh, {.resolution = 120})), ways(inside), from_body(ways.from(inside.to_unit(body))) {}

  Index tip(const Vec3& leaf, double share, const Vec3& direction = Vec3::Zero(), bool thick = false) const {
    return limb_tip(ways, from_body, inside.to_unit(leaf), share, direction, thick);
  }
  Vec3 place(Index solid) const { return inside.to_model(ways.center(solid)); }
  double cell() const { return ways.cell() / inside.scale; }
};

/// A trunk, an arm along x, and two fingers at its end.
Mesh two_fingered_arm() {
  Mesh mesh = capsule_between(Vec3(0, -1, 0), Vec3(0, 1, 0), 0.5);
  mesh = joined(mesh, capsule_between(Vec3(0, 0.5, 0), Vec3(3, 0.5, 0), 0.2));
  mesh = joined(mesh, capsule_between(Vec3(3, 0.5, 0), Vec3(3.5, 0.9, 0), 0.08));
  return joined(mesh, capsule_between(Vec3(3, 0.5, 0), Vec3(3.6, 0.1, 0), 0.08));
}

/// A trunk, a neck and a ball on it, with a thin horn that leans to one side.
Mesh horned_head() {
  Mesh mesh = capsule_between(Vec3(0, -2, 0), Vec3(0, 0, 0), 0.5);
  mesh = joined(mesh, capsule_between(Vec3(0, 0, 0), Vec3(0, 1, 0), 0.2));
  mesh = joined(mesh, sphere(24, 32, Vec3(0, 1.2, 0), 0.5));
  return joined(mesh, capsule_between(Vec3(0.2, 1.5, 0), Vec3(0.5, 2.4, 0), 0.06));
}

TEST(LimbProfile, OfACapsuleHasItsSectionsItsAxisAndItsEnd) {
  const double half = 1.5, radius = 0.3;
  const Limbed body(capsule(half, radius), Vec3(0, -half, 0));
  const Index tip = body.tip(Vec3(0, half, 0), 0.75);
  EXPECT_NEAR(body.place(tip).y(), half + radius, 2 * body.cell());
  const LimbProfile profile = limb_profile(body.ways, body.from_body, tip, 2.6 * body.inside.scale);
  ASSERT_GT(profile.slices.size(), 20U);
  EXPECT_NEAR(profile.length(), 2.6 * body.inside.scale, 2 * profile.step);
  const double scaled = radius * body.inside.scale;
  for (std::size_t k = 0; k + 2 < profile.slices.size(); ++k) {  // The last one is cut off by the reach.
    const LimbProfile::Slice& slice = profile.slices[k];
    const Vec3 center = body.inside.to_model(slice.center);
    // At the round end the farthest voxel may lie beside the axis: there it is flat.
    const double off = slice.s < scaled ? 0.4 * radius : 0.1 * radius + body.cell();
    EXPECT_LT(std::hypot(center.x(), center.z()), off) << slice.s;
    if (slice.s < 3 * scaled) continue;  // The round end, and what it bends slices.
    // Voxels that the surface passes through are solid.
    EXPECT_GT(slice.area, kPi * scaled * scaled) << slice.s;
    EXPECT_LT(slice.area, kPi * std::pow(scaled + body.ways.cell(), 2)) << slice.s;
    EXPECT_NEAR(slice.radius, scaled, 1.5 * body.ways.cell()) << slice.s;
    EXPECT_NEAR(center.y(), half + radius - slice.s / body.inside.scale, 0.1 * radius + 2 * body.cell()) << slice.s;
  }
}

TEST(LimbProfile, RunsAlongTheLimbAndIsClampedAtItsEnds) {
  const Limbed body(capsule(1.5, 0.3), Vec3(0, -1.5, 0));
  const LimbProfile profile =
      limb_profile(body.ways, body.from_body, body.tip(Vec3(0, 1.5, 0), 0.75), 2.5 * body.inside.scale);
  const double middle = 1.2 * body.inside.scale;
  EXPECT_LT(((profile.center(middle + 0.2) - profile.center(middle - 0.2)).normalized() + Vec3::UnitY()).norm(), 0.05);
  EXPECT_EQ(profile.center(-1), profile.slices.front().center);
  EXPECT_TRUE(profile.center(100).isApprox(profile.slices.back().center, 1e-12));
  EXPECT_DOUBLE_EQ(profile.area(100), profile.slices.back().area);
  EXPECT_TRUE(LimbProfile{}.empty());
  EXPECT_EQ(LimbProfile{}.length(), 0);
}

TEST(LimbProfile, OfAnArmGrowsWhereTheTrunkBegins) {
  const Limbed body(two_fingered_arm(), Vec3(0, 0.5, 0));
  const LimbProfile profile =
      limb_profile(body.ways, body.from_body, body.tip(Vec3(3.4, 0.8, 0), 0.75), 3.7 * body.inside.scale);
  const auto at = [&](double x) { return profile.area((3.65 - x) * body.inside.scale); };
  EXPECT_NEAR(at(1) / at(2), 1, 0.15);
  EXPECT_GT(at(0), 3 * at(1));
}

TEST(LimbTip, IsTheSameWhicheverFingerTheLeafIs) {
  const Limbed body(two_fingered_arm(), Vec3(0, 0.5, 0));
  const Index up = body.tip(Vec3(3.45, 0.85, 0), 0.75), down = body.tip(Vec3(3.55, 0.15, 0), 0.75);
  EXPECT_EQ(up, down);
  EXPECT_LT((body.place(up) - Vec3(3.6, 0.1, 0)).norm(), 0.08 + 2 * body.cell());  // The longer one.
}

TEST(LimbTip, OfTheThickPartIgnoresAThinHorn) {
  const Limbed body(horned_head(), Vec3(0, -1, 0));
  const Vec3 leaf(0, 1.2, 0);
  const Vec3 thin = body.place(body.tip(leaf, 0.6, Vec3::UnitY()));
  EXPECT_NEAR(thin.y(), 2.45, 2 * body.cell());
  const Vec3 thick = body.place(body.tip(leaf, 0.6, Vec3::UnitY(), true));
  EXPECT_LT((thick - Vec3(0, 1.7, 0)).norm(), 3 * body.cell());
  // Nor does it matter that the search took the horn for the head.
  const Vec3 from_horn = body.place(body.tip(Vec3(0.45, 2.3, 0), 0.4, Vec3::UnitY(), true));
  EXPECT_LT((from_horn - Vec3(0, 1.7, 0)).norm(), 3 * body.cell());
}

}  // namespace
}  // namespace sinew::rigging
