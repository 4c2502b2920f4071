// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/joint_volumes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/core/angles.h"
#include "sinew/pipeline/measure.h"
#include "sinew/shapes/kinds.h"

namespace sinew::pipeline {
namespace {

TEST(JointVolumes, OnlyTheTwistedJointLosesVolumeInTheFramesThatMeasureHas) {
  shapes::MakeOptions options;
  options.joint_count = 4;
  options.layers = 60;
  const Character character = shapes::make("cylinder", options).made.character;
  const Index joint = character.rig.skeleton.find("Joint1");
  Clip clip;
  clip.name = "twist";
  Track track;
  track.target = joint;
  track.path = Track::Path::kRotation;
  for (const double turn : {0.0, 60.0, 120.0}) {
    const Quat& rest = character.rig.skeleton.joints[joint].rest.rotation;
    const Quat rotation = rest * rotation_exp(Vec3(0, radians(turn), 0));
    track.times_s.push_back(static_cast<float>(turn / 120));
    for (const double value : {rotation.x(), rotation.y(), rotation.z(), rotation.w()})
      track.values.push_back(static_cast<float>(value));
  }
  clip.tracks = {track};
  const auto series = joint_volumes(character, clip, 10);
  ASSERT_GE(series.size(), 2U);
  MeasureMotion motion;
  motion.clip = clip;
  motion.fps = 10;
  const MeasureResult figures = measure(character, *deform::bind("lbs", character.rig), motion);
  for (const JointVolumeSeries& one : series) {
    ASSERT_EQ(one.volumes.size(), figures.frames.size());
    EXPECT_NEAR(one.volumes.front(), 1, 1e-5);
    if (one.joint != joint) {
      EXPECT_NEAR(one.volumes.back(), 1, 1e-4);
      continue;
    }
    EXPECT_TRUE(std::is_sorted(one.volumes.rbegin(), one.volumes.rend()));
    // At least the section of the middle, where all of the twist is, loses cos² of half of it: the region loses less.
    EXPECT_LT(one.volumes.back(), 0.85);
    EXPECT_GT(one.volumes.back(), 0.25);
  }
}

}  // namespace
}  // namespace sinew::pipeline
