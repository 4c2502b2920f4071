// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/curves/curve_placement.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/geometry/curves/curves.h"
#include "tests/geometry/curves/cube_figure.h"

namespace sinew::rigging {
namespace {

/// A template and a plan of the arm at negative x of the plain figure, with the elbow at a distance from the body.
struct ArmPlan {
  Template skeleton_template;
  SkeletonPlan plan;

  explicit ArmPlan(double elbow) {
    skeleton_template.name = plan.template_name = "test";
    const std::array<double, 3> places = {0, elbow, 4.5};
    const std::array<const char*, 3> names = {"UpperArm", "Forearm", "Hand"};
    Template::Limb limb;
    limb.name = "arm", limb.kind = "arm";
    for (Index j = 0; j < 3; ++j) {
      Template::Joint joint;
      joint.name = names[j];
      joint.parent = j == 0 ? kNone : j - 1;
      skeleton_template.joints.push_back(joint);
      limb.joints.push_back(j);
      PlannedJoint planned;
      planned.name = names[j];
      planned.parent = joint.parent;
      planned.position = Vec3(-places[j], 0.5, 3.5);
      planned.origin = "fraction";
      plan.joints.push_back(planned);
    }
    skeleton_template.limbs.push_back(limb);
  }
};

/// The arm bent about the axis y at a place, around a sharp elbow that is blended over a length of 1.
std::vector<Vec3> with_bent_arm(const Mesh& mesh, double place, double angle) {
  std::vector<Vec3> bent = mesh.positions;
  for (Vec3& p : bent) {
    const double s = -p.x();
    if (s <= 0) continue;
    Vec3 line(0, 0, 3.5);
    for (int i = 0; i < 200; ++i) {
      const double a = angle * std::clamp(s * (i + 0.5) / 200 - place + 0.5, 0.0, 1.0);
      line += s / 200 * Vec3(-std::cos(a), 0, std::sin(a));
    }
    const double a = angle * std::clamp(s - place + 0.5, 0.0, 1.0), off = p.z() - 3.5;
    p = Vec3(line.x() + off * std::sin(a), p.y(), line.z() + off * std::cos(a));
  }
  return bent;
}

TEST(CurvePlacement, ElbowIsTakenFromThePoseInWhichItBends) {
  const Mesh mesh = geometry::cube_figure(3);
  const CurveSet curves = geometry::find_curves(mesh);
  ArmPlan arm(2.2);
  const double place = 2.6;
  const std::vector<std::vector<Vec3>> straight = {mesh.positions};
  const std::vector<std::vector<Vec3>> both = {mesh.positions, with_bent_arm(mesh, place, 80 * kRadPerDegree)};
  for (const auto* poses : {&straight, &both}) {
    const CurvePlacement found = read_on_curves(arm.plan, arm.skeleton_template, curves, *poses);
    ASSERT_EQ(found.limbs.size(), 1U);
    ASSERT_EQ(found.joints.size(), 2U);
    EXPECT_FALSE(found.joints[0].last);
    EXPECT_TRUE(found.joints[1].last);
    if (poses == &straight) {
      EXPECT_EQ(found.joints[0].bend_rad, 0);
      EXPECT_NEAR(found.joints[0].position.x(), -2.2, 0.05);
    } else {
      EXPECT_EQ(found.joints[0].pose, 1U);
      EXPECT_NEAR(found.joints[0].bend_rad, 80 * kRadPerDegree, 12 * kRadPerDegree);
      EXPECT_NEAR(found.joints[0].position.x(), -place, 0.15);
    }
  }
}

TEST(CurvePlacement, OnlyClearJointsMove) {
  const Mesh mesh = geometry::cube_figure(3);
  const CurveSet curves = geometry::find_curves(mesh);
  ArmPlan arm(2.2);
  arm.plan.joints[1].position.z() += 0.3;
  const std::vector<std::vector<Vec3>> poses = {mesh.positions};
  const CurvePlacement found = read_on_curves(arm.plan, arm.skeleton_template, curves, poses);
  EXPECT_GT(found.joints[0].off, 0.3);
  SkeletonPlan plan = arm.plan;
  EXPECT_TRUE(move_to_curves(plan, found, mesh, {0.5, 5, false}).empty());
  EXPECT_EQ(plan.joints[1].position, arm.plan.joints[1].position);
  const std::vector<std::string> moved = move_to_curves(plan, found, mesh, {0.5, 0.2, false});
  ASSERT_EQ(moved, std::vector<std::string>{"Forearm"});
  EXPECT_EQ(plan.joints[1].origin, "curve");
  EXPECT_LT((plan.joints[1].position - Vec3(-2.2, 0.5, 3.5)).norm(), 0.05);
  const CurveSkeleton skeleton = curve_skeleton(curves, mesh.positions);
  EXPECT_GT(score_placement(plan, found, skeleton, mesh).total(),
            score_placement(arm.plan, found, skeleton, mesh).total());
  arm.plan.joints[1].origin = "given";
  EXPECT_TRUE(move_to_curves(arm.plan, found, mesh, {0.5, 0.2, false}).empty());
}

TEST(CurvePlacement, CurvesAloneGiveASkeletonOfAllLimbs) {
  const Mesh mesh = geometry::cube_figure(2);
  const SkeletonPlan plan = plan_from_curves(geometry::find_curves(mesh), mesh.positions);
  EXPECT_EQ(plan.joints.front().name, "Root");
  int limbs = 0;
  for (const PlannedJoint& joint : plan.joints) limbs += joint.origin == "seam" ? 1 : 0;
  EXPECT_EQ(limbs, 5);
  EXPECT_TRUE(plan_from_curves(CurveSet{}, mesh.positions).joints.empty());
}

}  // namespace
}  // namespace sinew::rigging
