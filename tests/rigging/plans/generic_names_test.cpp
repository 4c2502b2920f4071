// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/generic_names.h"

#include <gtest/gtest.h>

#include "sinew/rigging/anatomy/generic.h"
#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

/// A body that faces its thick end, +z or −z, with a tail at the other and two pairs of legs.
Mesh table_with_head(double forward) {
  Mesh mesh = capsule_between({0, 0.5, -0.3}, {0, 0.5, 0.3}, 0.12);
  for (const double x : {-1.0, 1.0})
    for (const double z : {-0.25, 0.25})
      mesh = joined(mesh, capsule_between({0.08 * x, 0.5, z}, {0.25 * x, 0.03, z}, 0.035));
  mesh = joined(mesh, capsule_between({0, 0.5, 0.3 * forward}, {0, 0.8, 0.7 * forward}, 0.14));
  return joined(mesh, capsule_between({0, 0.5, -0.3 * forward}, {0, 0.55, -0.9 * forward}, 0.03));
}

const PlannedJoint* joint_named(const SkeletonPlan& plan, const std::string& name) {
  for (const PlannedJoint& joint : plan.joints)
    if (joint.name == name) return &joint;
  return nullptr;
}

TEST(GenericNames, LegsHaveSidesAndPartnersWhereTheFrontIsClear) {
  for (const double forward : {1.0, -1.0}) {
    const Interior inside = interior(table_with_head(forward));
    SkeletonPlan plan = generic_plan(inside, {});
    name_generic_limbs(inside, plan);
    EXPECT_GT(forward * plan.forward.z(), 0.99);
    const PlannedJoint *left = joint_named(plan, "LegFrontLeft_1"), *right = joint_named(plan, "LegFrontRight_1");
    const PlannedJoint* rear = joint_named(plan, "LegRearLeft_1");
    ASSERT_TRUE(left != nullptr && right != nullptr && rear != nullptr);
    EXPECT_EQ(&plan.joints[left->partner], right);
    EXPECT_EQ(&plan.joints[right->partner], left);
    EXPECT_GT(forward * left->position.x(), 0);
    EXPECT_GT(forward * (left->position.z() - rear->position.z()), 0.2);
    const Index tail = plan.find_role("tail_1");
    ASSERT_NE(tail, kNone);
    EXPECT_LT(forward * plan.joints[tail].position.z(), -0.2);
  }
}

TEST(GenericNames, AStarKeepsItsNames) {
  Mesh mesh = capsule_between({0, 0.1, 0}, {0, 0.2, 0}, 0.15);
  for (int k = 0; k < 6; ++k) {
    const double angle = radians(60.0 * k);
    mesh = joined(mesh, capsule_between({0, 0.1, 0}, {std::cos(angle), 0.1, std::sin(angle)}, 0.05));
  }
  const Interior inside = interior(mesh);
  SkeletonPlan plan = generic_plan(inside, {});
  name_generic_limbs(inside, plan);
  for (Index j = 1; j < plan.joints.size(); ++j) EXPECT_EQ(plan.joints[j].name.substr(0, 4), "Limb");
}

}  // namespace
}  // namespace sinew::rigging
