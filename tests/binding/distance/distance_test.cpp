// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/distance/distance.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "tests/binding/heat_bodies.h"
#include "tests/support/damages.h"

namespace sinew::binding {
namespace {

using test::Body;

double weight_in(const std::vector<Influence>& row, Index joint) {
  for (const Influence& influence : row)
    if (influence.joint == joint) return static_cast<double>(influence.weight);
  return 0;
}

TEST(DistanceRow, IsTheFourthPowerOfTheDistance) {
  const std::array<JointDistance, 2> two = {{{0.1, 3}, {0.2, 1}}};
  const std::vector<Influence> row = distance_row(two, 0);
  EXPECT_NEAR(weight_in(row, 3), 16.0 / 17, 1e-6);
  EXPECT_NEAR(weight_in(row, 1), 1.0 / 17, 1e-6);
}

TEST(DistanceRow, FadesTheThirdJointOutInsteadOfDroppingIt) {
  const std::array<JointDistance, 3> three = {{{0.2, 0}, {0.2, 1}, {0.25, 2}}};
  EXPECT_NEAR(weight_in(distance_row(three, 1), 2), 0.17, 0.001) << "Eq. 2 with three bones";
  EXPECT_EQ(distance_row(three, 0).size(), 2U);
  double before = 0;
  for (int i = 1; i <= 100; ++i) {
    const double now = weight_in(distance_row(three, i / 100.0), 2);
    EXPECT_GT(now, before);
    EXPECT_LT(now - before, 0.005);
    before = now;
  }
}

TEST(DistanceRow, HasNoJumpWhereJointsChangePlaces) {
  for (const double fade : {0.0, 0.3, 1.0}) {
    const double e = 1e-7;
    // The second and third change places, then the third and fourth.
    const std::array<JointDistance, 4> a = {{{0.1, 0}, {0.15, 1}, {0.15 + e, 2}, {0.3, 3}}};
    const std::array<JointDistance, 4> b = {{{0.1, 0}, {0.15, 2}, {0.15 + e, 1}, {0.3, 3}}};
    const std::array<JointDistance, 4> c = {{{0.1, 0}, {0.15, 1}, {0.2, 2}, {0.2 + e, 3}}};
    const std::array<JointDistance, 4> d = {{{0.1, 0}, {0.15, 1}, {0.2, 3}, {0.2 + e, 2}}};
    for (Index joint = 0; joint < 4; ++joint) {
      EXPECT_NEAR(weight_in(distance_row(a, fade), joint), weight_in(distance_row(b, fade), joint), 1e-5);
      EXPECT_NEAR(weight_in(distance_row(c, fade), joint), weight_in(distance_row(d, fade), joint), 1e-5);
    }
  }
}

TEST(DistanceRow, SharesEquallyWhatIsEquallyNear) {
  const std::array<JointDistance, 4> four = {{{0.1, 0}, {0.1, 1}, {0.1, 2}, {0.1, 3}}};
  const std::vector<Influence> row = distance_row(four, 0.5);
  ASSERT_EQ(row.size(), 4U);
  for (const Influence& influence : row) EXPECT_FLOAT_EQ(influence.weight, 0.25F);
}

TEST(JointRegion, ReachesTwiceTheDepthOfTheJoint) {
  const Body body = test::two_bone_cylinder();
  const auto regions = joint_regions(body.mesh, bone_tree(body.subject()), body.subject());
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_NEAR(regions[0].radius, 0, 1e-9) << "this joint lies in the cap";
  EXPECT_NEAR(regions[1].radius, 0.4, 0.01) << "twice the radius, and less than 0.45 of a bone";
  EXPECT_EQ(region_fade(regions, {0, 0, 1}), 1);
  EXPECT_EQ(region_fade(regions, {0.41, 0, 1}), 0);
  EXPECT_NEAR(region_fade(regions, {0.5 * regions[1].radius, 0, 1}), 0.5, 1e-9);
}

// A straight way along a bent and branching body: no weight may jump, however fine the steps are.
TEST(DistanceWeights, AreContinuousAcrossTheRimOfAJointRegion) {
  Body body;
  test::add_chain(body.skeleton, {{0, 0, 0}, {0, 0, 0.5}, {0.25, 0, 0.6}, {0.25, 0, 1.2}});
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Index steps = 20000;
  for (Index i = 0; i <= steps; ++i)
    body.mesh.positions.push_back({-0.3 + 0.8 * i / steps, 0.05, -0.2 + 1.5 * i / steps});
  test::append(body.mesh, test::sphere(6, 8, {0.1, 0, 0.55}, 0.4));  // So that joints have a depth.
  const BindResult bound = bind_by_distance(body.subject(), {}, {});
  test::expect_valid(bound, body.subject());
  double worst = 0;
  Index three = 0, changes = 0;
  for (Index i = 0; i <= steps; ++i) {
    three += bound.weights.row(i).size() > 2 ? 1 : 0;
    if (i == 0) continue;
    changes += bound.weights.row(i).size() != bound.weights.row(i - 1).size() ? 1 : 0;
    for (Index joint = 0; joint < 3; ++joint)
      worst = std::max(
          worst, std::abs(test::weight_of(bound.weights, i, joint) - test::weight_of(bound.weights, i - 1, joint)));
  }
  EXPECT_GT(three, 100U);
  EXPECT_GT(changes, 1U) << "the way goes in and out of the region";
  EXPECT_LT(worst, 0.005);
}

TEST(DistanceWeights, AreValidOnAnyMeshAndTheSameForAnyNumberOfThreads) {
  const Body body = test::made_body("human", 1500);
  const auto [one, two] = test::with_one_and_two_threads([&] { return bind_by_distance(body.subject(), {}, {}); });
  test::expect_valid(one, body.subject(), 3);
  EXPECT_EQ(one.weights, two.weights);
  const test::DamagedBody sound = test::undamaged(body.mesh, body.subject().joints);
  for (const std::string& name : test::damage_names()) {
    const test::DamagedBody damaged = test::damaged(sound, body.skeleton, name, 1);
    const Subject subject{damaged.mesh, body.skeleton, damaged.joints, body.subject().bound};
    SCOPED_TRACE(name);
    test::expect_valid(bind_by_distance(subject, {}, {}), subject, 3);
  }
  Body bare;
  test::add_chain(bare.skeleton, {{0, 0, 0}, {0, 0, 1}});
  bare.mesh.positions = {{0, 0, 0}};
  test::expect_valid(bind_by_distance(bare.subject(), {}, {}), bare.subject());
  bare.mesh.positions[0].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(bind_by_distance(bare.subject(), {}, {}), Error);
}

TEST(DistanceRow, AsPublishedHasTwoOrThreeTermsAndNothingSubtracted) {
  const std::vector<JointDistance> nearest = {{0.2, 4}, {0.2, 7}, {0.4, 1}, {0.5, 2}};
  const std::vector<Influence> two = published_distance_row(nearest, 2), three = published_distance_row(nearest, 3);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_FLOAT_EQ(two[0].weight, 0.5F);
  ASSERT_EQ(three.size(), 3U);
  EXPECT_NEAR(three[2].weight, 1.0 / 16 / (2 + 1.0 / 16), 1e-6);
  EXPECT_EQ(three[2].joint, 1U);
  EXPECT_EQ(published_distance_row({nearest.data(), 1}, 3).size(), 1U);
}

TEST(DistanceWeights, KeepCapAndSmoothing) {
  const Body body = test::made_body("human", 1500);
  BindOptions options;
  options.max_influences = 2;
  options.smooth = 3;
  test::expect_valid(bind_by_distance(body.subject(), {}, options), body.subject(), 2);
}

TEST(DistanceWeights, ScaleWithTheBody) {
  const Body body = test::made_body("human", 1500);
  const BindResult plain = bind_by_distance(body.subject(), {}, {});
  for (const double scale : {1e-3, 1e3}) {
    Body other = body;
    for (Vec3& p : other.mesh.positions) p *= scale;
    for (Joint& joint : other.skeleton.joints) {
      joint.rest.translation *= scale;
      if (joint.end_local) *joint.end_local *= scale;
    }
    EXPECT_LT(test::worst_difference(plain.weights, bind_by_distance(other.subject(), {}, {}).weights), 1e-4);
  }
}

}  // namespace
}  // namespace sinew::binding
