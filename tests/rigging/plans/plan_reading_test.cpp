// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/plan_reading.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

/// A body of capsules that overlap.
class Clay {
 public:
  Clay& add(const Vec3& a, const Vec3& b, double radius) {
    mesh_ = joined(mesh_, capsule_between(a, b, radius));
    return *this;
  }
  /// One for each side.
  Clay& pair(const Vec3& a, const Vec3& b, double radius) {
    return add(a, b, radius).add(mirrored(a), mirrored(b), radius);
  }
  const Mesh& mesh() const { return mesh_; }

 private:
  static Vec3 mirrored(const Vec3& p) { return {-p.x(), p.y(), p.z()}; }
  Mesh mesh_;
};

/// Legs that are bent as those of animals are, a neck, a head and a tail.
Mesh dog(double leg = 0.5, double head = 0.1) {
  Clay clay;
  const double y = leg + 0.12;
  clay.add({0, y, -0.35}, {0, y, 0.3}, 0.15);
  clay.pair({0.11, y, 0.3}, {0.11, 0.04, 0.3}, 0.04).pair({0.11, 0.04, 0.3}, {0.11, 0.04, 0.36}, 0.04);
  clay.pair({0.11, y, -0.32}, {0.11, 0.5 * leg, -0.3}, 0.045).pair({0.11, 0.5 * leg, -0.3}, {0.11, 0.04, -0.36}, 0.04);
  clay.pair({0.11, 0.04, -0.36}, {0.11, 0.04, -0.3}, 0.04);
  clay.add({0, y, 0.3}, {0, y + 0.25, 0.55}, 0.08).add({0, y + 0.25, 0.55}, {0, y + 0.2, 0.6 + 1.5 * head}, head);
  clay.add({0, y + 0.05, -0.45}, {0, y + 0.2, -0.8}, 0.03);
  return clay.mesh();
}

std::optional<PlanReading> read(const Mesh& mesh) { return read_body_plan(interior(mesh), false); }

/// In the axes of the body, in model units.
SkeletonPlan plan_of(const Mesh& mesh) {
  const Interior inside = interior(mesh);
  const std::optional<PlanReading> reading = read_body_plan(inside, false);
  if (!reading) return {};
  return skeleton_of(*reading, find_template(reading->template_name), inside);
}

Vec3 place(const SkeletonPlan& plan, const std::string& role) {
  const Index j = plan.find_role(role);
  if (j != kNone) return plan.joints[j].position;
  ADD_FAILURE() << "There is no " << role;
  return Vec3::Zero();
}

TEST(BodyPlan, FourLegsAreAQuadrupedThatFacesItsHead) {
  for (const double degrees : {0.0, 90.0, 180.0, 30.0}) {
    const Quat turn = rotation_exp(Vec3(0, radians(degrees), 0));
    const SkeletonPlan plan = plan_of(rotated(dog(), turn.toRotationMatrix()));
    ASSERT_EQ(plan.template_name, "quadruped") << degrees;
    EXPECT_GT(plan.forward.dot(turn * Vec3::UnitZ()), std::cos(radians(6))) << degrees;
    EXPECT_GT(plan.up.y(), 0.99);
    EXPECT_GT((place(plan, "head") - place(plan, "hips")).dot(plan.forward), 0.6);
    EXPECT_NEAR((place(plan, "left_thigh") - place(plan, "right_thigh")).dot(plan.left), 0.2, 0.08);
    EXPECT_NEAR((place(plan, "left_upper_arm") - place(plan, "left_thigh")).dot(plan.forward), 0.65, 0.15);
    EXPECT_LT((place(plan, "left_toes") - turn * Vec3(0.11, 0.05, -0.35)).norm(), 0.06);
    EXPECT_LT((place(plan, "right_hand_2") - turn * Vec3(-0.11, 0.05, 0.3)).norm(), 0.06);
  }
}

TEST(BodyPlan, ZMayPointUpwards) {
  const Mat3 lying = rotation_exp(Vec3(radians(90), 0, 0)).toRotationMatrix();
  const SkeletonPlan plan = plan_of(rotated(dog(), lying));
  ASSERT_EQ(plan.template_name, "quadruped");
  EXPECT_GT(plan.up.z(), 0.99);
  EXPECT_LT(plan.forward.y(), -0.99);
}

TEST(BodyPlan, ShortLegsAndABigHeadAreStillAQuadruped) {
  const SkeletonPlan plan = plan_of(dog(0.25, 0.2));
  ASSERT_EQ(plan.template_name, "quadruped");
  EXPECT_GT(plan.forward.z(), 0.99);
  EXPECT_LT(place(plan, "left_hand").y(), 0.25);
}

TEST(BodyPlan, ALongNeckGetsMoreJoints) {
  Clay clay;
  clay.add({0, 0.6, -0.3}, {0, 0.6, 0.3}, 0.16);
  for (const double z : {-0.3, 0.3}) clay.pair({0.11, 0.6, z}, {0.11, 0.04, z}, 0.045);
  clay.add({0, 0.65, 0.3}, {0, 1.7, 0.9}, 0.07).add({0, 1.7, 0.9}, {0, 1.65, 1.1}, 0.09);
  const SkeletonPlan plan = plan_of(clay.mesh());
  ASSERT_EQ(plan.template_name, "quadruped");
  const Index head = plan.find_role("head"), second = plan.find_role("neck_2");
  ASSERT_NE(second, kNone);
  EXPECT_NE(plan.joints[head].parent, plan.find_role("neck"));
  EXPECT_EQ(plan.joints[second].parent, plan.find_role("neck"));
}

TEST(BodyPlan, CountsPairsOfLegs) {
  for (const int pairs : {3, 4}) {
    Clay clay;
    clay.add({0, 0.3, -0.05}, {0, 0.3, 0.12}, 0.1).add({0, 0.32, -0.35}, {0, 0.32, -0.15}, 0.16);
    for (int k = 0; k < pairs; ++k) {
      const double z = 0.15 - 0.2 * k / (pairs - 1), way = 0.4 - 0.8 * k / (pairs - 1);
      clay.pair({0.05, 0.3, z}, {0.3, 0.45, z + 0.5 * way}, 0.025)
          .pair({0.3, 0.45, z + 0.5 * way}, {0.55, 0.02, z + way}, 0.02);
    }
    const SkeletonPlan plan = plan_of(clay.mesh());
    ASSERT_EQ(plan.template_name, pairs == 3 ? "insect" : "spider");
    EXPECT_GT(plan.forward.z(), 0.99);  // The abdomen is behind.
    for (int k = 1; k <= pairs; ++k) {
      const std::string leg = "left_leg" + std::to_string(k);
      EXPECT_LT(place(plan, leg + "_1").x(), place(plan, leg + "_3").x());
      EXPECT_GT(place(plan, leg + "_2").y(), place(plan, leg + "_1").y());
    }
    EXPECT_GT(place(plan, "left_leg1_3").z(), place(plan, "left_leg2_3").z());
  }
}

TEST(BodyPlan, TwoLegsAndALongTailAreATailedBiped) {
  Clay clay;
  clay.add({0, 0.9, -0.1}, {0, 1.0, 0.4}, 0.2).add({0, 1.0, 0.4}, {0, 1.25, 0.7}, 0.1);
  clay.add({0, 1.25, 0.7}, {0, 1.2, 1.0}, 0.13);
  clay.add({0, 0.9, -0.1}, {0, 0.85, -0.6}, 0.11).add({0, 0.85, -0.6}, {0, 0.8, -1.3}, 0.05);
  clay.pair({0.18, 0.9, 0}, {0.18, 0.5, 0.1}, 0.1).pair({0.18, 0.5, 0.1}, {0.18, 0.05, 0}, 0.06);
  clay.pair({0.18, 0.05, 0}, {0.18, 0.05, 0.2}, 0.05);
  const SkeletonPlan plan = plan_of(clay.mesh());
  ASSERT_EQ(plan.template_name, "tailed_biped");
  EXPECT_GT(plan.forward.z(), 0.99);
  EXPECT_LT(place(plan, "tail_5").z(), place(plan, "tail_1").z() - 0.5);
  EXPECT_GT(place(plan, "head").z(), 0.5);
}

/// A trunk, a neck with a head, a short tail and two legs with feet.
Clay hen() {
  Clay clay;
  clay.add({0, 0.5, -0.15}, {0, 0.55, 0.15}, 0.2).add({0, 0.6, 0.2}, {0, 0.95, 0.35}, 0.07);
  clay.add({0, 0.95, 0.35}, {0, 0.93, 0.5}, 0.09).add({0, 0.6, -0.2}, {0, 0.75, -0.45}, 0.08);
  clay.pair({0.1, 0.45, 0}, {0.1, 0.03, -0.02}, 0.03).pair({0.1, 0.03, -0.02}, {0.1, 0.03, 0.13}, 0.03);
  return clay;
}

TEST(BodyPlan, ABodyOnTwoLegsWithAShortTailIsABird) {
  const SkeletonPlan plan = plan_of(hen().mesh());
  ASSERT_EQ(plan.template_name, "bird");
  EXPECT_GT(plan.forward.z(), 0.99);
  EXPECT_GT(place(plan, "head").y(), 0.75);
  EXPECT_GT(place(plan, "left_shin").z(), place(plan, "left_foot").z());  // Knees are ahead, ankles behind.
  EXPECT_GT(place(plan, "left_thigh").y(), place(plan, "left_shin").y());
  EXPECT_LT(place(plan, "tail_1").z(), place(plan, "hips").z());
}

TEST(BodyPlan, FoldedWingsHaveJointsInTheFlanks) {
  const Mesh mesh = hen().mesh();
  const Interior inside = interior(mesh);
  const SkeletonPlan plan = plan_of(mesh);
  ASSERT_EQ(plan.template_name, "bird");
  const Vec3 shoulder = place(plan, "left_upper_arm"), elbow = place(plan, "left_forearm"),
             wrist = place(plan, "left_hand");
  for (const Vec3& p : {shoulder, elbow, wrist})
    EXPECT_LT(geometry::sample(inside.depth, inside.to_unit(p)), 0) << p.transpose();
  EXPECT_GT(shoulder.y(), elbow.y());
  EXPECT_GT(shoulder.z(), elbow.z());
  EXPECT_GT(wrist.z(), elbow.z());
  EXPECT_GT(wrist.x(), shoulder.x());
  EXPECT_GT(shoulder.x(), 0.03);
  EXPECT_GT(shoulder.z(), place(plan, "left_thigh").z());
  EXPECT_NEAR(place(plan, "right_hand").x(), -wrist.x(), 0.02);
}

TEST(BodyPlan, WingsThatAreSpreadHalfAreNotPutIntoTheFlanks) {
  const Mesh mesh = hen().pair({0.1, 0.6, 0.15}, {0.55, 0.6, -0.05}, 0.04).mesh();
  const SkeletonPlan plan = plan_of(mesh);
  ASSERT_EQ(plan.template_name, "bird");
  EXPECT_GT(place(plan, "left_hand").x(), 0.28);
}

TEST(BodyPlan, LegsThatEndInAPointDoNotTellTheFront) {
  // The legs are slanted backwards, as those of a bird whose feet were left out.
  Clay clay;
  clay.add({0, 0.5, -0.15}, {0, 0.55, 0.15}, 0.2).add({0, 0.65, 0.2}, {0, 0.75, 0.3}, 0.15);
  clay.add({0, 0.5, -0.2}, {0, 0.5, -0.8}, 0.05);
  clay.pair({0.1, 0.45, 0.05}, {0.1, 0.03, -0.15}, 0.03);
  const SkeletonPlan plan = plan_of(clay.mesh());
  ASSERT_FALSE(plan.joints.empty());
  EXPECT_GT(plan.forward.z(), 0.99);
}

TEST(BodyPlan, WhatLeansOnItsChestIsNoBird) {
  // The head is on the ground ahead of the legs.
  Clay clay;
  clay.add({0, 0.5, -0.1}, {0, 0.15, 0.6}, 0.15).add({0, 0.1, 0.6}, {0, 0.1, 0.8}, 0.1);
  clay.pair({0.1, 0.5, -0.1}, {0.1, 0.03, -0.1}, 0.04);
  const std::optional<PlanReading> reading = read(clay.mesh());
  EXPECT_FALSE(reading && reading->template_name == "bird");
}

TEST(BodyPlan, FeetTellTheFrontWhereBothEndsAreAlike) {
  Clay clay;
  clay.add({0, 0.5, -0.4}, {0, 0.5, 0.4}, 0.15);
  clay.pair({0.1, 0.45, 0}, {0.1, 0.03, 0}, 0.03).pair({0.1, 0.03, 0}, {0.1, 0.03, -0.15}, 0.03);
  const SkeletonPlan plan = plan_of(clay.mesh());
  ASSERT_FALSE(plan.joints.empty());
  EXPECT_LT(plan.forward.z(), -0.99);
}

TEST(BodyPlan, AntlersThatReachForwardAreNoNose) {
  const Mesh plain = dog(), antlers = joined(plain, capsule_between({0, 0.95, 0.6}, {0, 1.1, 1.05}, 0.012));
  const SkeletonPlan without = plan_of(plain), with = plan_of(antlers);
  ASSERT_EQ(with.template_name, "quadruped");
  EXPECT_LT((place(with, "head") - place(without, "head")).norm(), 0.06);
}

TEST(BodyPlan, HipsAreAheadOfHindLegsThatAreSetFarBack) {
  Clay clay;
  clay.add({0, 0.6, -0.35}, {0, 0.6, 0.3}, 0.15).add({0, 0.6, 0.3}, {0, 0.9, 0.6}, 0.1);
  clay.pair({0.11, 0.6, 0.3}, {0.11, 0.04, 0.3}, 0.04);
  clay.pair({0.11, 0.55, -0.4}, {0.11, 0.3, -0.5}, 0.05).pair({0.11, 0.3, -0.5}, {0.11, 0.04, -0.5}, 0.04);
  const SkeletonPlan plan = plan_of(clay.mesh());
  ASSERT_EQ(plan.template_name, "quadruped");
  EXPECT_GT(place(plan, "left_thigh").z(), -0.42);
}

TEST(BodyPlan, AHangingTailBeginsAtTheRump) {
  const Mesh mesh = dog();
  const Interior inside = interior(mesh);
  const std::optional<PlanReading> reading = read_body_plan(inside, false);
  ASSERT_TRUE(reading && reading->tail_root);
  SkeletonPlan plan;
  plan.up = Vec3::UnitY();
  PlannedJoint tail;
  tail.role = "tail_1", tail.origin = "extra", tail.position = Vec3(0, 0.4, -0.5);
  plan.joints.push_back(tail);
  raise_tail_root(*reading, inside, plan);
  EXPECT_GT(plan.joints.back().position.y(), 0.55);
  EXPECT_NEAR(plan.joints.back().position.z(), -0.4, 0.12);
  // One that is held backwards begins where it leaves the body.
  plan.joints.back().position = Vec3(0, 0.7, -0.9);
  raise_tail_root(*reading, inside, plan);
  EXPECT_EQ(plan.joints.back().position, Vec3(0, 0.7, -0.9));
}

TEST(BodyPlan, ALongBodyWithoutLegsHasAHeadAtItsThickEnd) {
  Clay clay;
  Vec3 before(0, 0.05, 0);
  for (int k = 1; k <= 24; ++k) {
    const Vec3 next(0.25 * std::sin(0.5 * k), 0.05, 0.12 * k);
    clay.add(before, next, 0.05 + 0.0015 * k);
    before = next;
  }
  clay.add(before, before + Vec3(0, 0, 0.1), 0.13);
  const SkeletonPlan plan = plan_of(clay.mesh());
  ASSERT_EQ(plan.template_name, "snake");
  EXPECT_GT(place(plan, "head").z(), 2.3);
  EXPECT_LT(place(plan, "tail_4").z(), 0.6);
  // A tongue is no part of the head.
  const SkeletonPlan tongue = plan_of(clay.add(before, before + Vec3(0, 0, 0.5), 0.02).mesh());
  ASSERT_EQ(tongue.template_name, "snake");
  EXPECT_LT((place(tongue, "head") - place(plan, "head")).norm(), 0.12);
}

TEST(BodyPlan, PeopleAreLeftToTheEmbedding) {
  // Where a pose looks like a bird's, the embedding of a person still costs less.
  constexpr double kGoodFit = 0.15;
  for (const unsigned seed : {1u, 2u, 3u}) {
    const std::optional<PlanReading> reading = read(CapsulePerson(seed).mesh);
    if (!reading) continue;
    EXPECT_GT(reading->cost, kGoodFit) << reading->template_name;
  }
}

}  // namespace
}  // namespace sinew::rigging
