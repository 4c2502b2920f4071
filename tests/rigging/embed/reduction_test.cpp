// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/reduction.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "tests/rigging/toy_graph.h"

namespace sinew::rigging {
namespace {

using test::add_joint;
using test::human_of_18;
using test::joint_named;

std::map<std::string, ReducedTemplate::Joint> by_name(const Template& t, const ReducedTemplate& r) {
  std::map<std::string, ReducedTemplate::Joint> result;
  for (const ReducedTemplate::Joint& joint : r.joints) result[t.joints[joint.full].name] = joint;
  return result;
}

TEST(Reduction, OfAPersonOfEighteenJointsLeavesSeven) {
  const Template t = human_of_18();
  ASSERT_EQ(t.joints.size(), 18U);
  const ReducedTemplate r = reduce(t);
  ASSERT_EQ(r.joints.size(), 7U);
  const auto joints = by_name(t, r);
  for (const char* name : {"Shoulders", "Hips", "Head", "LeftFoot", "RightFoot", "LeftHand", "RightHand"}) {
    ASSERT_TRUE(joints.count(name)) << name;
  }
  EXPECT_EQ(joints.at("LeftFoot").chain.size(), 4U);
  EXPECT_EQ(joints.at("Hips").chain.size(), 2U);
  EXPECT_EQ(joints.at("RightHand").chain.size(), 3U);
  EXPECT_TRUE(joints.at("LeftFoot").foot && joints.at("LeftFoot").leaf && !joints.at("LeftHand").foot);
  EXPECT_TRUE(joints.at("Hips").fat && !joints.at("Hips").leaf && !joints.at("Head").fat);
  EXPECT_EQ(t.joints[r.joints[joints.at("LeftHand").partner].full].name, "RightHand");
  EXPECT_EQ(joints.at("Head").partner, kNone);
  for (std::size_t i = 1; i < r.joints.size(); ++i) {
    EXPECT_LT(r.joints[i].parent, i);
    EXPECT_NEAR(std::accumulate(r.joints[i].shares.begin(), r.joints[i].shares.end(), 0.0), 1, 1e-12);
    Vec3 sum = r.joints[r.joints[i].parent].position;
    double length = 0;
    for (const Vec3& bone : r.joints[i].bones) sum += bone, length += bone.norm();
    EXPECT_LT((sum - r.joints[i].position).norm(), 1e-12);
    EXPECT_NEAR(length, r.joints[i].length, 1e-12);
  }
}

TEST(Reduction, RestoresEveryJointOfTheTemplateAlongItsOwnBones) {
  const Template t = human_of_18();
  const ReducedTemplate r = reduce(t);
  std::vector<Vec3> places;
  std::vector<std::vector<Vec3>> paths;
  for (const ReducedTemplate::Joint& joint : r.joints) {
    places.push_back(t.joints[joint.full].position);
    std::vector<Vec3> path;
    if (joint.parent != kNone) path.push_back(t.joints[r.joints[joint.parent].full].position);
    for (const Index j : joint.chain) {
      path.push_back(0.5 * (path.back() + t.joints[j].position));  // More points than bones.
      path.push_back(t.joints[j].position);
    }
    paths.push_back(path);
  }
  const std::vector<Vec3> restored = restore(t, r, places, paths);
  ASSERT_EQ(restored.size(), 18U);
  for (std::size_t j = 0; j < 18; ++j)
    EXPECT_LT((restored[j] - t.joints[j].position).norm(), 1e-12) << t.joints[j].name;
}

TEST(Reduction, RestoresOntoAPathOfNoLength) {
  const Template t = human_of_18();
  const ReducedTemplate r = reduce(t);
  const Vec3 here(1, 2, 3);
  const std::vector<Vec3> restored =
      restore(t, r, std::vector<Vec3>(7, here), std::vector<std::vector<Vec3>>(7, std::vector<Vec3>{here}));
  for (const Vec3& place : restored) EXPECT_EQ(place, here);
}

TEST(Reduction, ScalesAnyUnitToTheSame) {
  Template t = human_of_18();
  const ReducedTemplate r = reduce(t);
  Vec3 lower = Vec3::Constant(1e9), upper = -lower;
  for (const Template::Joint& joint : t.joints) {
    lower = lower.cwiseMin(template_scale(t) * joint.position);
    upper = upper.cwiseMax(template_scale(t) * joint.position);
  }
  EXPECT_NEAR((upper - lower).maxCoeff(), 0.7, 1e-12);
  for (Template::Joint& joint : t.joints) joint.position *= 100;
  const ReducedTemplate large = reduce(t);
  for (std::size_t i = 0; i < r.joints.size(); ++i) {
    EXPECT_LT((r.joints[i].position - large.joints[i].position).norm(), 1e-12);
    EXPECT_NEAR(r.joints[i].length, large.joints[i].length, 1e-12);
  }
}

TEST(Reduction, LeavesOutDerivedAndOptionalJoints) {
  Template t = human_of_18();
  t.joints[joint_named(t, "LeftShoulder")].placement = Template::Placement::kDerived;
  t.joints[joint_named(t, "RightShoulder")].placement = Template::Placement::kDerived;
  t.joints[add_joint(t, "Tail", "Hips", {0, 0.9, -0.3})].optional = true;
  for (Template::Joint& joint : t.joints) {  // A derived joint above all others.
    if (joint.partner != kNone) ++joint.partner;
    joint.parent = joint.parent == kNone ? 0 : joint.parent + 1;
  }
  t.joints.insert(t.joints.begin(), Template::Joint{});
  t.joints[0].name = "Ground";
  t.joints[0].placement = Template::Placement::kDerived;
  const ReducedTemplate r = reduce(t);
  ASSERT_EQ(r.joints.size(), 7U);
  EXPECT_EQ(r.joints[0].parent, kNone);
  const auto joints = by_name(t, r);
  EXPECT_EQ(joints.at("LeftHand").chain.size(), 2U);
  EXPECT_EQ(t.joints[r.joints[joints.at("LeftHand").parent].full].name, "Shoulders");
}

TEST(Reduction, ChainsArePartnersOnlyIfAllTheirJointsAre) {
  Template t = human_of_18();
  t.joints[joint_named(t, "LeftElbow")].partner = kNone;
  t.joints[joint_named(t, "RightElbow")].partner = kNone;
  const auto joints = by_name(t, reduce(t));
  EXPECT_EQ(joints.at("LeftHand").partner, kNone);
  EXPECT_NE(joints.at("LeftFoot").partner, kNone);
}

TEST(Reduction, RefusesWhatCannotBeSearched) {
  Template no_length = human_of_18();
  no_length.joints[joint_named(no_length, "LeftKnee")].position =
      no_length.joints[joint_named(no_length, "LeftThigh")].position;
  EXPECT_THROW(reduce(no_length), Error);
  Template two_roots = human_of_18();
  two_roots.joints[joint_named(two_roots, "Head")].parent = kNone;
  EXPECT_THROW(reduce(two_roots), Error);
  Template one;
  add_joint(one, "Root", "", {0, 1, 0});
  EXPECT_THROW(reduce(one), Error);
}

}  // namespace
}  // namespace sinew::rigging
