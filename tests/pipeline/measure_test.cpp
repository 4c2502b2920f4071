// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/shapes/kinds.h"

namespace sinew::pipeline {
namespace {

Character limb(int layers = 24) {
  shapes::MakeOptions options;
  options.joint_count = 3;
  options.layers = layers;
  return shapes::make("cylinder", options).made.character;
}

MeasureMotion twist(const Rig& rig, double angle_rad) {
  MeasureMotion motion;
  motion.name = "twist";
  motion.pose = rest_pose(rig);
  Quat& rotation = motion.pose->local[rig.skeleton.find("Joint1")].rotation;
  rotation = rotation * rotation_exp(Vec3(0, angle_rad, 0));
  return motion;
}

TEST(Measure, FindsNothingInTheRestPoseAndTheBindPose) {
  const Character character = limb();
  const MeasureResult result = measure(character, *deform::bind("lbs", character.rig), {});
  ASSERT_EQ(result.frames.size(), 2U);
  EXPECT_EQ(result.frames[0].name, "rest");
  EXPECT_EQ(result.frames[1].name, "bind");
  for (const FrameMeasurement& frame : result.frames) EXPECT_NEAR(frame.figures.loss, 0, 1e-5);
  EXPECT_FALSE(result.agreement);
}

TEST(Measure, TheWorstOfAJointNamesItsFrame) {
  const Character character = limb();
  const double angle = radians(120);
  const MeasureResult result = measure(character, *deform::bind("lbs", character.rig), twist(character.rig, angle));
  ASSERT_EQ(result.frames.size(), 1U);
  const Index joint = character.rig.skeleton.find("Joint1");
  const auto worst =
      std::find_if(result.joints.begin(), result.joints.end(), [&](const JointWorst& w) { return w.joint == joint; });
  ASSERT_NE(worst, result.joints.end());
  EXPECT_EQ(worst->section_frame, 0U);
  EXPECT_NEAR(worst->thinnest_section, std::pow(std::cos(angle / 2), 2), 1e-2);
}

TEST(Measure, ACharacterIsNoDistanceFromItselfAndItsWeightsAgree) {
  const Character character = limb();
  const auto deformer = deform::bind("lbs", character.rig);
  const MeasureResult result =
      measure(character, *deformer, twist(character.rig, 1), MeasureReference{character, *deformer});
  ASSERT_TRUE(result.frames.front().distance);
  EXPECT_EQ(result.frames.front().distance->max, 0);
  ASSERT_TRUE(result.agreement);
  EXPECT_EQ(result.agreement->unmatched, 0U);
  EXPECT_EQ(result.agreement->weights.worst_half_l1, 0);
}

TEST(Measure, MeshesOfOtherVerticesAreRefused) {
  const Character character = limb(), other = limb(30);
  const auto deformer = deform::bind("lbs", character.rig), other_deformer = deform::bind("lbs", other.rig);
  EXPECT_THROW(measure(character, *deformer, {}, MeasureReference{other, *other_deformer}), Error);
  EXPECT_THROW(measure(Character{}, *deformer, {}), Error);
}

}  // namespace
}  // namespace sinew::pipeline
