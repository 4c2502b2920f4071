// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/extras.h"

#include <gtest/gtest.h>

#include "sinew/rigging/templates/template_file.h"
#include "tests/rigging/true_plan.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

struct Beast {
  shapes::Made made;
  Interior inside;
  SkeletonPlan plan;  // Without tail and ears.

  explicit Beast(int seed = 0) {
    shapes::MakeOptions options;
    options.seed = seed;
    options.vary = seed == 0 ? 0 : 0.3;
    made = shapes::make("quadruped", options).made;
    inside = interior(made.character.rig.mesh);
    plan = true_plan(made, {"Tail", "Ear"});
  }
};

Index named(const SkeletonPlan& plan, const std::string& name) {
  for (Index j = 0; j < plan.joints.size(); ++j)
    if (plan.joints[j].name == name) return j;
  return kNone;
}

TEST(Extras, TailAndEarsTakeTheTemplatesNamesAndLieAtTheirTrueJoints) {
  for (const int seed : {0, 3}) {
    Beast beast(seed);
    const std::size_t before = beast.plan.joints.size();
    EXPECT_TRUE(add_extras(beast.plan, beast.inside, "chains", find_template("quadruped")).empty());
    ASSERT_EQ(beast.plan.joints.size(), before + 6) << seed;
    double sum = 0;
    for (const char* name : {"Tail1", "Tail2", "Tail3", "Tail4", "LeftEar", "RightEar"}) {
      const Index j = named(beast.plan, name);
      ASSERT_NE(j, kNone) << name;
      const double error = (beast.plan.joints[j].position - true_place(beast.made, name)).norm();
      EXPECT_LT(error, 0.04 * 0.8) << name << " " << seed;
      sum += error / 6;
      EXPECT_EQ(beast.plan.joints[j].origin, "extra");
    }
    EXPECT_LT(sum, 0.02 * 0.8) << seed;
    EXPECT_EQ(beast.plan.joints[named(beast.plan, "Tail1")].parent, named(beast.plan, "Hips"));
    EXPECT_EQ(beast.plan.joints[named(beast.plan, "Tail1")].role, "tail_1");
    EXPECT_EQ(beast.plan.joints[named(beast.plan, "Tail3")].parent, named(beast.plan, "Tail2"));
    EXPECT_EQ(beast.plan.joints[named(beast.plan, "LeftEar")].parent, named(beast.plan, "Head"));
    EXPECT_EQ(beast.plan.joints[named(beast.plan, "LeftEar")].partner, named(beast.plan, "RightEar"));
    EXPECT_TRUE(beast.plan.joints[named(beast.plan, "Tail4")].end.has_value());
    EXPECT_TRUE(all_inside(beast.plan, beast.inside)) << seed;
  }
}

TEST(Extras, WithoutALimbInTheTemplateTheyAreNumberedAndPairsHaveSides) {
  Beast beast;
  Template bare;  // Without limbs.
  bare.name = "bare";
  add_extras(beast.plan, beast.inside, "chains", bare);
  EXPECT_NE(named(beast.plan, "Extra1_1"), kNone);
  EXPECT_NE(named(beast.plan, "Extra1_4"), kNone);  // The tail is long.
  const Index left = named(beast.plan, "LeftExtra2_1"), right = named(beast.plan, "RightExtra2_1");
  ASSERT_NE(left, kNone);
  ASSERT_NE(right, kNone);
  EXPECT_GT(beast.plan.joints[left].position.x(), 0);
  EXPECT_LT(beast.plan.joints[right].position.x(), 0);
  EXPECT_EQ(beast.plan.joints[left].partner, right);
  EXPECT_EQ(beast.plan.joints[right].partner, left);
  EXPECT_TRUE(beast.plan.joints[left].role.empty());
}

TEST(Extras, ASymmetricPlanGetsExactMirrorImages) {
  Beast beast;
  beast.plan.symmetric = true;
  add_extras(beast.plan, beast.inside, "chains", find_template("quadruped"));
  for (int k = 1; k <= 4; ++k)
    EXPECT_NEAR(beast.plan.joints[named(beast.plan, "Tail" + std::to_string(k))].position.x(), 0, 1e-12);
  const PlannedJoint& left = beast.plan.joints[named(beast.plan, "LeftEar")];
  const PlannedJoint& right = beast.plan.joints[named(beast.plan, "RightEar")];
  EXPECT_LT((Vec3(-left.position.x(), left.position.y(), left.position.z()) - right.position).norm(), 1e-12);
  EXPECT_LT((Vec3(-left.end->x(), left.end->y(), left.end->z()) - *right.end).norm(), 1e-12);
}

TEST(Extras, RigidAddsNothingAndSaysSo) {
  Beast beast;
  const std::size_t before = beast.plan.joints.size();
  const Findings findings = add_extras(beast.plan, beast.inside, "rigid", find_template("quadruped"));
  EXPECT_EQ(beast.plan.joints.size(), before);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings.front().code, "rigging.extras_rigid");
  EXPECT_EQ(findings.front().where, "Hips");
}

TEST(Extras, WhatGrowsFromAHandIsLeftToFingers) {
  const shapes::Made made = shapes::make("human", {}).made;
  const Interior inside = interior(made.character.rig.mesh);
  SkeletonPlan plan = true_plan(made, {"Thumb", "Index", "Middle", "Ring", "Little"});
  const std::size_t before = plan.joints.size();
  add_extras(plan, inside, "chains", find_template("human"));
  EXPECT_EQ(plan.joints.size(), before);
}

TEST(Extras, WhatIsShortOnALimbOfAPersonIsWorn) {
  const shapes::Made made = shapes::make("human", {}).made;
  const Interior inside = interior(made.character.rig.mesh);
  const auto extras = [&](const char* body) {
    SkeletonPlan plan =
        true_plan(made, {"LeftHand", "RightHand", "LeftThumb", "LeftIndex", "LeftMiddle", "LeftRing", "LeftLittle",
                         "RightThumb", "RightIndex", "RightMiddle", "RightRing", "RightLittle"});
    for (PlannedJoint& joint : plan.joints)
      if (joint.role.ends_with("_forearm")) joint.end.reset();
    Template t = find_template("human");
    t.name = body;
    add_extras(plan, inside, "chains", t);
    return std::count_if(plan.joints.begin(), plan.joints.end(),
                         [](const PlannedJoint& joint) { return joint.name.find("Extra") != std::string::npos; });
  };
  EXPECT_GT(extras("ape"), 0);  // Hands.
  EXPECT_EQ(extras("human"), 0);
}

}  // namespace
}  // namespace sinew::rigging
