// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/inside.h"

#include <gtest/gtest.h>

#include "sinew/geometry/spatial/fast_winding.h"
#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

constexpr double kHalf = 1, kRadius = 0.3;

/// Two upright capsules side by side, mirror images across x.
Mesh pair_of_pillars() {
  return joined(shifted(capsule(kHalf, kRadius), Vec3(1, 0, 0)), shifted(capsule(kHalf, kRadius), Vec3(-1, 0, 0)));
}

PlannedJoint joint_at(const Vec3& place, Index parent = kNone, Index partner = kNone) {
  PlannedJoint joint;
  joint.position = place, joint.parent = parent, joint.partner = partner;
  return joint;
}

TEST(KeepInside, MovesJointsOutsideOrUnderTheSkinToTheMiddle) {
  BodyOptions options;
  options.interior.resolution = 80;
  const Body body = make_body(capsule(kHalf, kRadius), options);
  const std::vector<Vec3> places = {Vec3(0, 0, 0), Vec3(0.5, 0.4, 0), Vec3(0.297, -0.4, 0), Vec3(0, 0.2, 5),
                                    Vec3(9, 9, 9)};
  Template t;
  t.joints.resize(places.size());
  Anatomy anatomy;
  for (const Vec3& p : places) {
    anatomy.places.push_back(body.interior.to_unit(p));
    anatomy.origins.push_back("section");
  }
  anatomy.origins[4].clear();  // Not placed.
  const Anatomy before = anatomy;
  keep_inside(body, t, anatomy, {0, 0, 0, 1, 0});
  const auto now = [&](std::size_t j) { return body.interior.to_model(anatomy.places[j]); };
  EXPECT_EQ(anatomy.places[0], before.places[0]);
  EXPECT_EQ(anatomy.places[3], before.places[3]);
  EXPECT_EQ(anatomy.places[4], before.places[4]);
  const double cell = body.interior.voxels.cell / body.interior.scale;
  EXPECT_LT((now(1) - Vec3(0, 0.4, 0)).norm(), 3 * cell);
  EXPECT_LT((now(2) - Vec3(0, -0.4, 0)).norm(), 3 * cell);
}

TEST(PullInside, BringsAJointOutsideIntoTheMiddleOfWhatIsNearAndLeavesOthers) {
  const Mesh mesh = pair_of_pillars();
  SkeletonPlan plan;
  plan.joints = {joint_at(Vec3(1, -0.5, 0.1)), joint_at(Vec3(1.4, 0.5, 0), 0), joint_at(Vec3(-1, 0.3, 0.7), 0),
                 joint_at(Vec3(1.8, 0, 0), 0)};
  plan.joints[3].origin = "given";
  const SkeletonPlan before = plan;
  pull_inside(plan, mesh);
  EXPECT_EQ(plan.joints[0].position, before.joints[0].position);
  EXPECT_EQ(plan.joints[3].position, before.joints[3].position);
  EXPECT_LT((plan.joints[1].position - Vec3(1, 0.5, 0)).norm(), 0.02);
  EXPECT_LT((plan.joints[2].position - Vec3(-1, 0.3, 0)).norm(), 0.02);
}

TEST(PullInside, WorksOnAMeshThatIsInsideOut) {
  SkeletonPlan plan;
  plan.joints = {joint_at(Vec3(0.4, 0.5, 0)), joint_at(Vec3(0, 0.1, 0.05), 0)};
  pull_inside(plan, flipped(capsule(kHalf, kRadius)));
  EXPECT_LT((plan.joints[0].position - Vec3(0, 0.5, 0)).norm(), 0.02);
  EXPECT_EQ(plan.joints[1].position, Vec3(0, 0.1, 0.05));
}

TEST(PullInside, PartnersOfASymmetricPlanStayMirrorImages) {
  // The pillars hang together by a bar, so that the joint without a side has somewhere to go.
  const Mesh mesh = joined(pair_of_pillars(), capsule_between(Vec3(-1, 0, 0), Vec3(1, 0, 0), 0.2));
  SkeletonPlan plan;
  plan.symmetric = true;
  plan.joints = {joint_at(Vec3(0, 0.3, 0.03)), joint_at(Vec3(1.37, 0.6, 0.1), 0, 2),
                 joint_at(Vec3(-1.37, 0.6, 0.1), 0, 1)};
  pull_inside(plan, mesh);
  const geometry::FastWinding winding(mesh);
  for (const PlannedJoint& joint : plan.joints) EXPECT_GT(winding.at(joint.position), 0.5);
  EXPECT_EQ(plan.joints[0].position.x(), 0);
  const Vec3& left = plan.joints[1].position;
  EXPECT_EQ(plan.joints[2].position, Vec3(-left.x(), left.y(), left.z()));
}

TEST(PullInside, AJointBetweenTwoEarsGoesBackIntoTheHead) {
  // What is nearest to it is one of the two pillars, and the middle between both is outside.
  const Mesh mesh = joined(pair_of_pillars(), capsule_between(Vec3(-1, -1, 0), Vec3(1, -1, 0), 0.3));
  SkeletonPlan plan;
  plan.symmetric = true;
  plan.joints = {joint_at(Vec3(0, -1, 0)), joint_at(Vec3(0, 0.4, 0), 0)};
  pull_inside(plan, mesh);
  EXPECT_GT(geometry::FastWinding(mesh).at(plan.joints[1].position), 0.5);
  EXPECT_EQ(plan.joints[1].position.x(), 0);
}

TEST(PullInside, AGivenPartnerStaysWhereItIs) {
  SkeletonPlan plan;
  plan.symmetric = true;
  plan.joints = {joint_at(Vec3(1.37, 0.6, 0.1), kNone, 1), joint_at(Vec3(-1.05, 0.4, 0), kNone, 0)};
  plan.joints[1].origin = "given";
  pull_inside(plan, pair_of_pillars());
  EXPECT_EQ(plan.joints[1].position, Vec3(-1.05, 0.4, 0));
}

}  // namespace
}  // namespace sinew::rigging
