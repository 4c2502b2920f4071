// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/carry_clip.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "tests/support/made_human.h"

namespace sinew::motion {
namespace {

// The same places and hierarchy with other names and axes turned at random.
Skeleton disguised(const Skeleton& skeleton, const std::string& table) {
  const motion::Recognition known = motion::recognize(skeleton);
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  Skeleton result = skeleton;
  std::vector<Mat4> frames;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const double angle = 0.7 * j;
    Mat4 frame = Mat4::Identity();
    frame.topLeftCorner<3, 3>() =
        Eigen::AngleAxisd(angle, Vec3(std::sin(angle), 1, std::cos(angle)).normalized()).toRotationMatrix();
    frame.topRightCorner<3, 1>() = rest[j].topRightCorner<3, 1>();
    frames.push_back(frame);
    Joint& joint = result.joints[j];
    const Mat4 above = joint.parent == kNone ? Mat4(Mat4::Identity()) : frames[joint.parent];
    joint.rest = decompose(above.inverse() * frame).transform;
    joint.role = motion::role_name(known.roles[j]);
    const std::string name = motion::joint_name(table, known.roles[j]);
    if (!name.empty()) joint.name = name;
  }
  return result;
}

OldMotion motion_of(const Character& human, const Clip& clip) {
  OldMotion old;
  old.rig.skeleton = human.rig.skeleton;
  old.frames = rest_matrices(human.rig.skeleton);
  old.clips = {clip};
  return old;
}

TEST(CarryClip, JointsOfTheSameRolePairWhateverTheirNames) {
  const Skeleton skeleton = test::made_human().rig.skeleton;
  const JointPairs pairs = pair_joints(skeleton, disguised(skeleton, "mixamo"));
  for (Index j = 0; j < skeleton.size(); ++j) {
    EXPECT_EQ(pairs.partner[j], j) << skeleton.joints[j].name;
    EXPECT_EQ(pairs.source[j], j) << skeleton.joints[j].name;
  }
}

TEST(CarryClip, ACarriedClipMovesEveryJointAsTheOldOneDid) {
  const Character human = test::made_human();
  const Skeleton skeleton = disguised(human.rig.skeleton, "mixamo");
  for (const char* name : {"walk", "wave"}) {
    const OldMotion old = motion_of(human, motion::builtin_clip(human.rig.skeleton, name));
    const auto [clip, dropped] =
        carry_clip(old, old.clips[0], skeleton, rest_matrices(skeleton), pair_joints(old.rig.skeleton, skeleton), {});
    EXPECT_TRUE(dropped.joints.empty());
    Rig rig;
    rig.skeleton = skeleton;
    ASSERT_TRUE(validate(clip, skeleton.size(), 0).empty());
    // At a key of the old clip; between two the ways differ a little.
    const double time = static_cast<double>(old.clips[0].tracks[0].times_s[5]);
    const ModelPose before = motion::resolve(old.rig.skeleton, motion::sample(old.rig, old.clips[0], time));
    const ModelPose after = motion::resolve(skeleton, motion::sample(rig, clip, time));
    for (Index j = 0; j < skeleton.size(); ++j)
      EXPECT_LT((before.joints[j].topRightCorner<3, 1>() - after.joints[j].topRightCorner<3, 1>()).norm(), 1e-4)
          << skeleton.joints[j].name;
  }
}

TEST(CarryClip, WhatHasNoPartnerIsListedAndTheRestStillMoves) {
  const Character human = test::made_human();
  // The new skeleton ends at the elbows.
  Skeleton skeleton;
  const motion::Recognition known = motion::recognize(human.rig.skeleton);
  std::vector<Index> number(human.rig.skeleton.joints.size(), kNone);
  for (Index j = 0; j < human.rig.skeleton.size(); ++j) {
    Joint joint = human.rig.skeleton.joints[j];
    if (joint.parent != kNone && number[joint.parent] == kNone) continue;
    if (known.roles[j].part == motion::BodyPart::kForearm) continue;
    if (joint.parent != kNone) joint.parent = number[joint.parent];
    joint.role = motion::role_name(known.roles[j]);
    joint.mirror = kNone;
    number[j] = skeleton.size();
    skeleton.joints.push_back(joint);
  }
  const OldMotion old = motion_of(human, motion::builtin_clip(human.rig.skeleton, "walk"));
  const auto [clip, dropped] =
      carry_clip(old, old.clips[0], skeleton, rest_matrices(skeleton), pair_joints(old.rig.skeleton, skeleton), {});
  EXPECT_NE(std::find(dropped.joints.begin(), dropped.joints.end(), "LeftForearm"), dropped.joints.end());
  EXPECT_EQ(std::find(dropped.joints.begin(), dropped.joints.end(), "LeftUpperArm"), dropped.joints.end());
  EXPECT_GT(clip.tracks.size(), 8U);
}

TEST(CarryClip, MorphTracksStayWithTheirParts) {
  const Character human = test::made_human();
  Clip clip = motion::builtin_clip(human.rig.skeleton, "wave");
  Track blink;
  blink.path = Track::Path::kMorphWeights;
  blink.target = 1;
  blink.times_s = {0, 1};
  blink.values = {0, 1};
  clip.tracks.push_back(blink);
  OldMotion old = motion_of(human, clip);
  old.rig.mesh.parts.resize(2);
  old.rig.mesh.parts[1].morphs.resize(1);
  old.rig.mesh.parts[1].morph_weights = {0};
  const Clip carried =
      carry_clip(old, clip, human.rig.skeleton, old.frames, pair_joints(human.rig.skeleton, human.rig.skeleton), {4, 3})
          .clip;
  EXPECT_EQ(carried.tracks.back().path, Track::Path::kMorphWeights);
  EXPECT_EQ(carried.tracks.back().target, 3U);
}

}  // namespace
}  // namespace sinew::motion
