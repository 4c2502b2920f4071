// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Hints are constraints: what `plan_skeleton` makes of them.

#include <gtest/gtest.h>

#include "sinew/rigging/hints.h"
#include "sinew/rigging/rigger.h"
#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

RiggerOptions without_fingers() {
  RiggerOptions options;
  options.fingers = "none";
  return options;
}

RiggerRequest only_template(const char* name) {
  RiggerRequest request;
  request.templates = {find_template(name)};
  return request;
}

const PlannedJoint& joint_of(const PlanResult& rigged, const std::string& name) {
  for (const PlannedJoint& joint : rigged.plan.joints)
    if (joint.name == name) return joint;
  throw Error("There is no " + name);
}

std::string error_of(const Mesh& mesh, const RiggerRequest& request) {
  try {
    plan_skeleton(mesh, request, without_fingers());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// A person that is its own mirror image.
struct Symmetric {
  shapes::Made made = small_made("human");
  Mesh mesh = bare(made);
  Places places = places_of(made);
  double height = height_of(mesh);
};

const Symmetric& symmetric() {
  static const Symmetric one;
  return one;
}

TEST(RiggerHints, OneForAnyKindOfJointIsReachedAndTheOthersStayAsGood) {
  for (const int seed : {2, 5}) {
    const shapes::Made made = small_made("human", seed);
    const Mesh mesh = bare(made);
    const Places places = places_of(made);
    const double height = height_of(mesh);
    const auto before = errors_of(plan_skeleton(mesh, only_template("human"), without_fingers()).plan, places, height);
    for (const char* name :
         {"LeftShin", "RightForearm", "LeftThigh", "RightUpperArm", "Head", "Neck", "LeftHand", "RightFoot", "Hips"}) {
      RiggerRequest request = only_template("human");
      // As a person reads it off a picture.
      const Vec3 hint = places.at(name) + Vec3(0.006, -0.006, 0.006) * height;
      request.hints[name] = hint;
      const PlanResult hinted = plan_skeleton(mesh, request, without_fingers());
      const auto after = errors_of(hinted.plan, places, height);
      EXPECT_LT((joint_of(hinted, name).position - hint).norm(), 0.05 * height) << name;
      EXPECT_LT(after.at(name), std::max(before.at(name), 0.02)) << name;
      EXPECT_LT(mean_of(after), mean_of(before) + 0.01) << name << ", the worst " << worst_of(after);
    }
  }
}

TEST(RiggerHints, OneOnTheLeftMovesTheRightOfASymmetricBody) {
  const Symmetric& one = symmetric();
  RiggerRequest request = only_template("human");
  const Vec3 hint = one.places.at("LeftShin") + Vec3(0, 0.06, 0) * one.height;
  request.hints["left_shin"] = hint;
  const PlanResult hinted = plan_skeleton(one.mesh, request, without_fingers());
  ASSERT_TRUE(hinted.plan.symmetric);
  EXPECT_LT((joint_of(hinted, "LeftShin").position - hint).norm(), 0.02 * one.height);
  EXPECT_NEAR(joint_of(hinted, "RightShin").position.y(), hint.y(), 0.02 * one.height);
  EXPECT_NEAR(joint_of(hinted, "RightShin").position.x(), -joint_of(hinted, "LeftShin").position.x(), 1e-9);
}

TEST(RiggerHints, ThoseOnBothSidesAreMeantAsTheyAre) {
  const Symmetric& one = symmetric();
  RiggerRequest request = only_template("human");
  const Vec3 left = one.places.at("LeftShin") + Vec3(0, 0.06, 0) * one.height;
  const Vec3 right = one.places.at("RightShin") - Vec3(0, 0.06, 0) * one.height;
  request.hints = {{"left_shin", left}, {"right_shin", right}};
  const PlanResult hinted = plan_skeleton(one.mesh, request, without_fingers());
  EXPECT_FALSE(hinted.plan.symmetric);
  EXPECT_LT((joint_of(hinted, "LeftShin").position - left).norm(), 0.02 * one.height);
  EXPECT_LT((joint_of(hinted, "RightShin").position - right).norm(), 0.02 * one.height);
}

TEST(RiggerHints, ATemplateWithoutTheJointIsNotChosen) {
  const Symmetric& one = symmetric();
  RiggerRequest request;
  request.templates = templates();
  request.hints["left_upper_arm"] = one.places.at("LeftUpperArm");
  request.hints["left_shin"] = one.places.at("LeftShin");
  const PlanResult hinted = plan_skeleton(one.mesh, request, without_fingers());
  EXPECT_EQ(hinted.plan.template_name, "human");
}

TEST(RiggerHints, NoneIsDroppedInSilence) {
  RiggerRequest request;
  request.templates = {find_template("human"), find_template("hand")};
  // Each is a joint of one template.
  request.hints = {{"left_shin", Vec3(0.1, 0.5, 0)}, {"Index3", Vec3(0, 1, 0)}};
  const std::string text = error_of(symmetric().mesh, request);
  EXPECT_NE(text.find("The template 'human' does not have 'Index3'."), std::string::npos) << text;
  EXPECT_NE(text.find("'hand' does not have 'left_shin'"), std::string::npos) << text;
}

/// A plan that has the trunk of a bird and its left leg.
SkeletonPlan wingless(const Template& t) {
  SkeletonPlan plan;
  plan.template_name = t.name;
  std::vector<Index> at(t.joints.size(), kNone);
  for (Index j = 0; j < t.joints.size(); ++j) {
    const Template::Joint& joint = t.joints[j];
    if (joint.role.find("arm") != std::string::npos || joint.role.find("hand") != std::string::npos ||
        joint.role.find("clavicle") != std::string::npos)
      continue;
    PlannedJoint planned;
    planned.name = joint.name;
    planned.role = joint.role;
    planned.position = 2 * joint.position;
    planned.origin = joint.role.starts_with("tail") ? "extra" : "section";
    planned.parent = joint.parent == kNone ? kNone : at[joint.parent];
    at[j] = static_cast<Index>(plan.joints.size());
    plan.joints.push_back(planned);
  }
  return plan;
}

TEST(SettleHints, ALimbThatWasNotFoundIsAddedOnBothSidesWithTheTemplatesProportions) {
  const Template t = find_template("bird");
  SkeletonPlan plan = wingless(t);
  ASSERT_EQ(plan.find_role("left_forearm"), kNone);
  const auto of = [&](const char* role) { return t.joints[find_joint(t, role)].position; };
  const Vec3 hint = 2 * of("left_forearm") + Vec3(0.05, 0, 0);
  settle_hints(plan, t, {{"left_forearm", hint}}, true);
  const Index fore = plan.find_role("left_forearm"), upper = plan.find_role("left_upper_arm"),
              hand = plan.find_role("left_hand"), other = plan.find_role("right_forearm");
  ASSERT_NE(fore, kNone);
  ASSERT_NE(upper, kNone);
  ASSERT_NE(hand, kNone);
  ASSERT_NE(other, kNone);
  EXPECT_EQ(plan.joints[fore].position, hint);
  EXPECT_EQ(plan.joints[fore].parent, upper);
  EXPECT_NEAR((plan.joints[hand].position - hint - 2 * (of("left_hand") - of("left_forearm"))).norm(), 0, 1e-9);
  EXPECT_EQ(plan.joints[fore].partner, other);
  EXPECT_EQ(plan.joints[other].partner, fore);
  EXPECT_NEAR(plan.joints[other].position.x(), -hint.x(), 1e-12);
  for (Index j = 0; j < plan.joints.size(); ++j)
    if (plan.joints[j].parent != kNone) {
      EXPECT_LT(plan.joints[j].parent, j);
    }
}

TEST(SettleHints, AChainThatWasFoundLaterMovesAndOthersStay) {
  const Template t = find_template("bird");
  SkeletonPlan plan = wingless(t);
  const SkeletonPlan before = plan;
  const Vec3 tail(0, 1, -1), head(0, 3, 3);
  settle_hints(plan, t, {{"tail_1", tail}, {"head", head}}, true);
  EXPECT_EQ(plan.joints[plan.find_role("tail_1")].position, tail);
  // It was moved before, where the body allows it.
  EXPECT_EQ(plan.joints[plan.find_role("head")].position, before.joints[before.find_role("head")].position);
  EXPECT_EQ(plan.joints.size(), before.joints.size());
}

}  // namespace
}  // namespace sinew::rigging
