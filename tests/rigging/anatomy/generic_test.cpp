// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/generic.h"

#include <gtest/gtest.h>

#include <set>

#include "sinew/core/parallel.h"
#include "tests/geometry/field_meshes.h"
#include "tests/rigging/bodies.h"
#include "tests/rigging/true_plan.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

std::vector<Index> leaves(const SkeletonPlan& plan) {
  std::vector<Index> result;
  for (Index j = 0; j < plan.joints.size(); ++j)
    if (plan.joints[j].end) result.push_back(j);
  return result;
}

void expect_well_formed(const SkeletonPlan& plan, const Interior& inside) {
  EXPECT_EQ(plan.template_name, "generic");
  ASSERT_FALSE(plan.joints.empty());
  std::set<std::string> names;
  std::vector<bool> leaf(plan.joints.size(), true);
  for (Index j = 0; j < plan.joints.size(); ++j) {
    EXPECT_TRUE(names.insert(plan.joints[j].name).second);
    const Index parent = plan.joints[j].parent;
    if (j == 0) {
      EXPECT_EQ(parent, kNone);
      continue;
    }
    ASSERT_LT(parent, j);
    leaf[parent] = false;
    EXPECT_GT((plan.joints[j].position - plan.joints[parent].position).norm() * inside.scale, 0.005);
  }
  for (Index j = 0; j < plan.joints.size(); ++j) EXPECT_EQ(leaf[j], plan.joints[j].end.has_value()) << j;
  EXPECT_TRUE(all_inside(plan, inside));
}

TEST(GenericPlan, AnOctopusHasEightArmsFromOneJoint) {
  for (const int seed : {0, 2}) {
    shapes::MakeOptions options;
    options.seed = seed;
    options.vary = seed == 0 ? 0 : 0.3;
    const shapes::Made made = shapes::make("octopus", options).made;
    const Interior inside = interior(made.character.rig.mesh);
    const SkeletonPlan plan = generic_plan(inside, {});
    expect_well_formed(plan, inside);
    const std::vector<Index> ends = leaves(plan);
    std::set<Index> roots;
    for (int a = 1; a <= 8; ++a) {
      const Vec3 tip = true_end(made, "Arm" + std::to_string(a) + "_6");
      double least = 1;
      for (const Index j : ends) least = std::min(least, (*plan.joints[j].end - tip).norm() * inside.scale);
      EXPECT_LT(least, 0.03) << a << " " << seed;
    }
    // All arms hang on one joint, but for the one that its trunk leads to.
    std::map<Index, int> children;
    for (const PlannedJoint& joint : plan.joints)
      if (joint.parent != kNone) ++children[joint.parent];
    int most = 0;
    for (const auto& [joint, count] : children) most = std::max(most, count);
    EXPECT_GE(most, 7) << seed;
    EXPECT_GE(ends.size(), 8U);
    EXPECT_LE(ends.size(), 9U);
  }
}

TEST(GenericPlan, AHumanHasFiveLimbsAndLegsShareTheTrunk) {
  const shapes::Made made = shapes::make("human", {}).made;
  const Interior inside = interior(made.character.rig.mesh);
  const SkeletonPlan plan = generic_plan(inside, {});
  expect_well_formed(plan, inside);
  const std::vector<Index> ends = leaves(plan);
  ASSERT_EQ(ends.size(), 5U);
  std::vector<Index> feet;
  for (const Index j : ends)
    if (plan.joints[j].end->y() < 0.1) feet.push_back(j);
  ASSERT_EQ(feet.size(), 2U);
  const auto ancestors = [&](Index j) {
    std::set<Index> all;
    for (; j != kNone; j = plan.joints[j].parent) all.insert(j);
    return all;
  };
  const std::set<Index> a = ancestors(feet[0]), b = ancestors(feet[1]);
  double lowest = 10;  // Of the joints both legs hang on: the pelvis.
  for (const Index j : a)
    if (b.count(j) != 0) lowest = std::min(lowest, plan.joints[j].position.y());
  EXPECT_LT(lowest, 1.1);
}

TEST(GenericPlan, ABarHasARootAndTwoLimbsABallOneJointWithAnEnd) {
  const shapes::Made bar = shapes::make("bar", {}).made;
  Interior inside = interior(bar.character.rig.mesh);
  SkeletonPlan plan = generic_plan(inside, {});
  expect_well_formed(plan, inside);
  EXPECT_EQ(leaves(plan).size(), 2U);
  inside = interior(sphere(32, 48, Vec3(1, 2, 3), 2), {.resolution = 80});
  plan = generic_plan(inside, {});
  ASSERT_EQ(plan.joints.size(), 1U);
  EXPECT_LT((plan.joints[0].position - Vec3(1, 2, 3)).norm(), 0.1);
  ASSERT_TRUE(plan.joints[0].end.has_value());
  EXPECT_GT((*plan.joints[0].end - plan.joints[0].position).norm(), 1.5);
}

TEST(GenericPlan, AnAbdomenBeyondAWaistIsALimb) {
  const auto between = [](const Vec3& a, const Vec3& b, double radius) { return capsule_between(a, b, radius); };
  Mesh mesh = joined(between({0, 0, 0}, {0, 0, 0.3}, 0.2), between({0, 0, -0.1}, {0, -0.1, -0.5}, 0.05));
  mesh = joined(mesh, between({0, -0.1, -0.5}, {0, -0.4, -0.8}, 0.17));
  mesh = joined(mesh, between({0, -0.5, -0.9}, {0, -0.7, -1.05}, 0.03));
  for (const double side : {-1.0, 1.0})
    for (const double z : {0.0, 0.3}) mesh = joined(mesh, between({0, 0, z}, {0.8 * side, -0.3, z}, 0.03));
  const Interior inside = interior(mesh);
  const SkeletonPlan plan = generic_plan(inside, {});
  double least = 1;
  for (const PlannedJoint& joint : plan.joints)
    least = std::min(least, (joint.position - Vec3(0, -0.25, -0.65)).norm());
  EXPECT_LT(least, 0.2);
}

TEST(GenericPlan, SpheresChooseTheRoot) {
  const Interior inside = interior(capsule(3, 0.5), {.resolution = 100});
  SphereGraph graph;  // Three in a row; the last is by far the largest.
  const auto at = [&](double y, double r) { graph.spheres.push_back({inside.to_unit(Vec3(0, y, 0)), r}); };
  at(2.0, 0.06), at(0.0, 0.03), at(-2.0, 0.02);
  graph.distance.assign(9, 0.3F);
  const SkeletonPlan plan = generic_plan(inside, graph);
  EXPECT_NEAR(plan.joints.front().position.y(), 2.0, 0.1);
}

TEST(GenericPlan, IsTheSameForAnyNumberOfThreads) {
  const shapes::Made made = shapes::make("quadruped", {}).made;
  std::vector<SkeletonPlan> plans;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    plans.push_back(generic_plan(interior(made.character.rig.mesh, {.resolution = 100}), {}));
  }
  set_thread_count(0);
  ASSERT_EQ(plans[0].joints.size(), plans[1].joints.size());
  for (std::size_t j = 0; j < plans[0].joints.size(); ++j)
    EXPECT_EQ(plans[0].joints[j].position, plans[1].joints[j].position);
}

}  // namespace
}  // namespace sinew::rigging
