// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/edit_skeleton.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/sample.h"
#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

Character walking_human() {
  Character human = test::made_human("t");
  human.clips = {motion::builtin_clip(human.rig.skeleton, "walk")};
  return human;
}

void expect_same_motion(const Character& before, const Character& after) {
  for (const double t : {0.0, 0.25, 0.6}) {
    const auto a = model_matrices(before.rig.skeleton, motion::sample(before.rig, before.clips[0], t).local);
    const auto b = model_matrices(after.rig.skeleton, motion::sample(after.rig, after.clips[0], t).local);
    for (Index j = 0; j < before.rig.skeleton.size(); ++j) {
      const Index k = after.rig.skeleton.find(before.rig.skeleton.joints[j].name);
      if (k != kNone) {
        EXPECT_LT((a[j] - b[k]).cwiseAbs().maxCoeff(), 2e-3) << before.rig.skeleton.joints[j].name << " at " << t;
      }
    }
  }
}

TEST(EditSkeleton, ARemovedJointLeavesItsWeightsAndMotionToOthers) {
  const Character before = walking_human();
  const SkeletonResult result = edit_skeleton(before, {.remove = {"LeftForearm", "Chest"}});
  const Character& after = result.character;
  EXPECT_EQ(after.rig.skeleton.size(), before.rig.skeleton.size() - 2);
  EXPECT_TRUE(validate(after).empty());
  EXPECT_LT(result.largest_move, 1e-6);
  EXPECT_EQ(after.rig.skeleton.joints[after.rig.skeleton.find("LeftHand")].parent,
            after.rig.skeleton.find("LeftUpperArm"));
  for (Index v = 0; v < before.rig.weights.row_count(); v += 11) {
    float a = 0, b = 0;
    for (const Influence& i : before.rig.weights.row(v)) a += i.weight;
    for (const Influence& i : after.rig.weights.row(v)) b += i.weight;
    EXPECT_NEAR(a, b, 1e-5F);
  }
  expect_same_motion(before, after);
}

TEST(EditSkeleton, AnAttachedJointStaysWhereItIsAndMovesAsBefore) {
  const Character before = walking_human();
  const SkeletonResult result = edit_skeleton(before, {.reparent = {{"Spine", "Head"}, {"Head", "Hips"}}});
  EXPECT_TRUE(validate(result.character).empty());
  EXPECT_LT(result.largest_move, 1e-6);
  expect_same_motion(before, result.character);
}

TEST(EditSkeleton, AddedJointsAndRootsAreWhereTheyShouldBe) {
  const Character before = walking_human();
  const SkeletonResult result =
      edit_skeleton(before, {.add = {{"Socket@RightHand", Vec3(-0.7, 1.3, 0.1)}}, .add_root = true});
  const Skeleton& skeleton = result.character.rig.skeleton;
  const auto rest = rest_matrices(skeleton);
  EXPECT_LT((rest[skeleton.find("Socket")].topRightCorner<3, 1>() - Vec3(-0.7, 1.3, 0.1)).norm(), 1e-9);
  EXPECT_EQ(skeleton.joints[0].name, "Root");
  EXPECT_EQ(
      std::count_if(skeleton.joints.begin(), skeleton.joints.end(), [](const Joint& j) { return j.parent == kNone; }),
      1);
  EXPECT_TRUE(result.longer_clips.empty());
  expect_same_motion(before, result.character);
}

TEST(EditSkeleton, AnonymousJointsGetTheNamesOfTheirRolesNeverOfTheOtherSide) {
  const Character truth = walking_human();
  Character before = truth;
  for (Index j = 0; j < before.rig.skeleton.size(); ++j)
    before.rig.skeleton.joints[j].name = "bone_" + std::to_string(j);
  SkeletonOptions options;
  options.names = NameSource::kAuto;
  const Character after = edit_skeleton(before, options).character;
  for (const char* name :
       {"Hips", "Head", "LeftUpperArm", "RightForearm", "LeftHand", "LeftThigh", "RightShin", "LeftFoot", "RightToes"})
    EXPECT_EQ(after.rig.skeleton.find(name), truth.rig.skeleton.find(name)) << name;
  options.preset = "unreal";
  options.preset_use = PresetUse::kNames;
  EXPECT_EQ(edit_skeleton(before, options).character.rig.skeleton.find("upperarm_l"),
            truth.rig.skeleton.find("LeftUpperArm"));
}

TEST(EditSkeleton, WhatCannotBeDoneIsRefused) {
  const Character before = walking_human();
  const std::string root = before.rig.skeleton.joints[0].name;
  EXPECT_THROW(edit_skeleton(before, {.remove = {root}}), Error);
  EXPECT_THROW(edit_skeleton(before, {.remove = {"Nose"}}), Error);
  EXPECT_THROW(edit_skeleton(before, {.rename = {{"LeftHand", "RightHand"}}}), Error);
  EXPECT_THROW(edit_skeleton(before, {.reparent = {{"Hips", "Head"}}}), Error);
  EXPECT_THROW(edit_skeleton(before, {.remove = {"Head"}, .reparent = {{"Neck", "Head"}}}), Error);
  EXPECT_THROW(edit_skeleton(before, {.add = {{"Socket", Vec3::Zero()}}}), Error);
}

}  // namespace
}  // namespace sinew::pipeline
