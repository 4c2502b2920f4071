// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/joint_ranges.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

Character human_without_limits() {
  Character character = test::made_human();
  for (Joint& joint : character.rig.skeleton.joints) joint.limits.reset();
  character.clips.clear();
  return character;
}

Index joint_of(const Character& character, const char* name) {
  const Index joint = character.rig.skeleton.find(name);
  EXPECT_NE(joint, kNone) << name;
  return joint;
}

TEST(JointRanges, OfElbowsAndKneesBendForwardAndBack) {
  const Character character = human_without_limits();
  const auto ranges = joint_ranges(character);
  for (const char* name : {"LeftForearm", "RightForearm", "LeftShin", "RightShin"}) {
    const deform::JointRange& range = ranges.at(joint_of(character, name));
    EXPECT_EQ(range.source, "table");
    ASSERT_EQ(range.axes.size(), 1u) << name;
    EXPECT_NEAR(degrees(range.axes[0].upper_rad), 140, 1e-9);
    // A hanging bone turns to the front in arms, to the back in legs.
    const bool arm = std::string(name).ends_with("Forearm");
    const Vec3 moved = range.axes[0].axis.cross(Vec3(0, -1, 0));
    EXPECT_EQ(moved.z() > 0.3, arm) << name;
    EXPECT_EQ(moved.z() < -0.3, !arm) << name;
  }
}

TEST(JointRanges, LimitsComeBeforeClipsAndClipsBeforeTheTable) {
  Character character = human_without_limits();
  const Index joint = joint_of(character, "LeftForearm");
  Track track;
  track.path = Track::Path::kRotation;
  track.target = joint;
  const Quat rest = character.rig.skeleton.joints[joint].rest.rotation;
  for (const double angle : {0.0, 1.0}) {
    const Quat q = rest * rotation_exp(Vec3(angle, 0, 0));
    track.times_s.push_back(static_cast<float>(angle));
    for (const double c : {q.x(), q.y(), q.z(), q.w()}) track.values.push_back(static_cast<float>(c));
  }
  character.clips = {{"bend", {track}}};
  auto range = joint_ranges(character).at(joint);
  EXPECT_EQ(range.source, "clips");
  ASSERT_EQ(range.axes.size(), 1u);
  EXPECT_NEAR(range.axes[0].upper_rad - range.axes[0].lower_rad, 1, 1e-5);
  character.rig.skeleton.joints[joint].limits = {Vec3(-0.5, 0, 0), Vec3(2, 0, 0)};
  range = joint_ranges(character).at(joint);
  EXPECT_EQ(range.source, "limits");
  ASSERT_EQ(range.axes.size(), 1u);
  EXPECT_EQ(range.axes[0].lower_rad, -0.5);
  EXPECT_EQ(range.axes[0].upper_rad, 2);
}

TEST(JointRanges, ClipsThatHardlyTurnAJointSayNothing) {
  Character character = human_without_limits();
  const Index joint = joint_of(character, "LeftForearm");
  Track track;
  track.path = Track::Path::kRotation;
  track.target = joint;
  track.times_s = {0};
  const Quat q = character.rig.skeleton.joints[joint].rest.rotation * rotation_exp(Vec3(0.2, 0, 0));
  track.values = {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()),
                  static_cast<float>(q.w())};
  character.clips = {{"idle", {track}}};
  EXPECT_EQ(joint_ranges(character).at(joint).source, "table");
}

}  // namespace
}  // namespace sinew::pipeline
