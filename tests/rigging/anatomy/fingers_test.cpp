// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/fingers.h"

#include <gtest/gtest.h>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "tests/geometry/field_meshes.h"
#include "tests/rigging/true_plan.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

const std::vector<std::string_view> kAllFingers = {"Thumb", "Index", "Middle", "Ring", "Little"};

TEST(Fingers, OfMadeHumansLieNearTheirTrueJoints) {
  for (const int seed : {0, 1, 4}) {
    shapes::MakeOptions options;
    options.seed = seed;
    options.vary = seed == 0 ? 0 : 0.3;
    options.made_pose = seed == 4 ? "t" : "a";
    const shapes::Made made = shapes::make("human", options).made;
    SkeletonPlan plan = true_plan(made, kAllFingers);
    const std::size_t before = plan.joints.size();
    EXPECT_TRUE(add_fingers(plan, made.character.rig.mesh).empty());
    ASSERT_EQ(plan.joints.size(), before + 30) << seed;
    const double hand = (true_end(made, "LeftMiddle3") - true_place(made, "LeftHand")).norm();
    double sum = 0;
    for (std::size_t j = before; j < plan.joints.size(); ++j) {
      const PlannedJoint& joint = plan.joints[j];
      const double error = (joint.position - true_place(made, joint.name)).norm() / hand;
      EXPECT_LT(error, 0.12) << joint.name << " " << seed;
      sum += error / 30;
      EXPECT_EQ(joint.role, role_of(joint.name));
      ASSERT_NE(joint.partner, kNone);
      EXPECT_EQ(plan.joints[joint.partner].partner, j);
    }
    EXPECT_LT(sum, 0.04) << seed;
  }
}

TEST(Fingers, CloseWithAPositiveTurn) {
  const shapes::Made made = shapes::make("human", {}).made;
  SkeletonPlan plan = true_plan(made, kAllFingers);
  add_fingers(plan, made.character.rig.mesh);
  for (const std::string side : {"Left", "Right"}) {
    // In the A pose palms face the body and the ground.
    const Vec3 palm = side == "Left" ? Vec3(-1, -1, 0) : Vec3(1, -1, 0);
    for (const char* finger : {"Index", "Middle", "Ring", "Little"})
      for (const PlannedJoint& joint : plan.joints) {
        if (joint.name != side + finger + "3") continue;
        const Vec3 way = *joint.end - joint.position;
        const Vec3 turned = rotation_exp(0.3 * joint.bend_axis) * way;
        EXPECT_GT((turned - way).dot(palm), 0) << joint.name;
      }
  }
}

TEST(Fingers, OfAHandAloneAreFoundInOrder) {
  const shapes::Made made = shapes::make("hand", {}).made;
  const Vec3 wrist = true_place(made, "Hand");
  const FoundHand hand =
      find_fingers(made.character.rig.mesh, true_place(made, "Forearm"), wrist, true_place(made, "Middle1"), true);
  ASSERT_EQ(hand.fingers.size(), 5U);
  for (std::size_t f = 0; f < 5; ++f) {
    const std::string name = std::string(kAllFingers[f]) + "3";
    EXPECT_LT((hand.fingers[f].tip - true_end(made, name)).norm(), 0.05 * hand.length) << name;
    EXPECT_LT((hand.fingers[f].joints[2] - true_place(made, name)).norm(), 0.08 * hand.length) << name;
  }
}

TEST(Fingers, AHandInOnePieceHasNoneAndTheFindingSaysWhy) {
  // An arm that ends in a ball.
  const Mesh arm = shifted(capsule(2, 0.3), Vec3::Zero());
  const FoundHand hand = find_fingers(arm, Vec3(0, -1, 0), Vec3(0, 1, 0), Vec3(0, 1.8, 0), true);
  EXPECT_TRUE(hand.fingers.empty());
  EXPECT_FALSE(hand.why_not.empty());
  SkeletonPlan plan;
  for (const auto& [role, y] : {std::pair("left_forearm", -1.0), std::pair("left_hand", 1.0)}) {
    PlannedJoint joint;
    joint.name = joint.role = role;
    joint.parent = plan.joints.empty() ? kNone : 0;
    joint.position = Vec3(0, y, 0);
    plan.joints.push_back(joint);
  }
  const Findings findings = add_fingers(plan, arm);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "rigging.no_fingers");
  EXPECT_EQ(findings[0].where, "left_hand");
  EXPECT_EQ(plan.joints.size(), 2U);
}

TEST(Fingers, OfASymmetricPlanAreExactMirrorImages) {
  const shapes::Made made = shapes::make("human", {}).made;
  SkeletonPlan plan = true_plan(made, kAllFingers);
  plan.symmetric = true;
  add_fingers(plan, made.character.rig.mesh);
  int seen = 0;
  for (const PlannedJoint& joint : plan.joints) {
    if (!has_any(joint.name, kAllFingers)) continue;
    const PlannedJoint& other = plan.joints[joint.partner];
    const auto mirrored = [](const Vec3& p) { return Vec3(-p.x(), p.y(), p.z()); };
    EXPECT_LT((mirrored(joint.position) - other.position).norm(), 1e-12);
    EXPECT_LT((mirrored(joint.bend_axis) + other.bend_axis).norm(), 1e-12);
    ++seen;
  }
  EXPECT_EQ(seen, 30);
}

TEST(Fingers, AreTheSameForAnyNumberOfThreads) {
  const shapes::Made made = shapes::make("hand", {}).made;
  std::vector<FoundHand> runs;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    runs.push_back(find_fingers(made.character.rig.mesh, true_place(made, "Forearm"), true_place(made, "Hand"),
                                true_place(made, "Middle1"), true));
  }
  set_thread_count(0);
  ASSERT_EQ(runs[0].fingers.size(), runs[1].fingers.size());
  for (std::size_t f = 0; f < runs[0].fingers.size(); ++f)
    EXPECT_EQ(runs[0].fingers[f].joints, runs[1].fingers[f].joints);
}

}  // namespace
}  // namespace sinew::rigging
