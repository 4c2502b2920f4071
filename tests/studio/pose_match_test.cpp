// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/pose_match.h"

#include <gtest/gtest.h>

#include "sinew/core/character.h"
#include "sinew/core/rotation.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"

namespace sinew::studio {
namespace {

Pose bent(const Rig& rig) {
  Pose pose = rest_pose(rig);
  pose.twist_rad.assign(pose.local.size(), 0);
  for (std::size_t j = 1; j < pose.local.size(); ++j)
    pose.local[j].rotation = pose.local[j].rotation * rotation_exp(Vec3(0.1, 0.2, 0.3));
  pose.twist_rad.back() = 7;
  return pose;
}

TEST(PoseMatch, EqualSkeletonsTakeTheSameTransforms) {
  const Rig rig = shapes::make("cylinder", {}).made.character.rig;
  const PoseMatch match(rig, rig);
  EXPECT_TRUE(match.same());
  const Pose pose = bent(rig);
  const Pose taken = match.pose(pose, motion::resolve(rig.skeleton, pose));
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    EXPECT_EQ(taken.local[j].rotation.coeffs(), pose.local[j].rotation.coeffs());
    EXPECT_EQ(taken.local[j].translation, pose.local[j].translation);
  }
  EXPECT_EQ(taken.twist_rad.back(), 7);
  // A node that moves nothing does not matter.
  Rig more = rig;
  Joint node;
  node.name = "light";
  more.skeleton.joints.push_back(node);
  EXPECT_TRUE(PoseMatch(rig, more).same());
  Rig moved = rig;
  moved.skeleton.joints.back().rest.translation += Vec3(0.01, 0, 0);
  EXPECT_FALSE(PoseMatch(rig, moved).same());
}

// Joints with other axes rotate the same way in model space; one that the first rig lacks stays at rest.
TEST(PoseMatch, JointsOfTheSameNameRotateAlikeWhateverTheirAxes) {
  const Rig from = shapes::make("cylinder", {}).made.character.rig;
  Rig to = from;
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()));
  for (Joint& joint : to.skeleton.joints) {
    // New axes for each joint, with the joints where they were.
    if (joint.parent != kNone) {
      joint.rest.rotation = turn.conjugate() * joint.rest.rotation;
      joint.rest.translation = turn.conjugate() * joint.rest.translation;
    }
    joint.rest.rotation = joint.rest.rotation * turn;
  }
  Joint stranger;
  stranger.name = "stranger";
  stranger.parent = to.skeleton.size() - 1;
  stranger.deforming = true;
  to.skeleton.joints.push_back(stranger);
  const PoseMatch match(from, to);
  EXPECT_FALSE(match.same());
  EXPECT_EQ(match.matched() + 1, match.deforming());
  const Pose pose = bent(from);
  const ModelPose model = motion::resolve(from.skeleton, pose);
  const ModelPose taken = motion::resolve(to.skeleton, match.pose(pose, model));
  const std::vector<Mat4> rest = rest_matrices(from.skeleton), rest_to = rest_matrices(to.skeleton);
  for (std::size_t j = 0; j < from.skeleton.joints.size(); ++j) {
    const Mat3 expected = Mat3((model.joints[j] * rest[j].inverse()).topLeftCorner<3, 3>());
    const Mat3 found = Mat3((taken.joints[j] * rest_to[j].inverse()).topLeftCorner<3, 3>());
    EXPECT_LT((expected - found).norm(), 1e-6) << j;
    const Vec3 there = model.joints[j].topRightCorner<3, 1>(), here = taken.joints[j].topRightCorner<3, 1>();
    EXPECT_LT((there - here).norm(), 1e-6) << j;
  }
}

// Two files of one body whose names come from different programs.
TEST(PoseMatch, JointsWithOtherNamesFollowByTheirRoles) {
  const Rig from = shapes::make("human", {}).made.character.rig;
  Rig to = from;
  for (Joint& joint : to.skeleton.joints) {
    for (const auto& [word, mark] : {std::pair("Left", ".L"), std::pair("Right", ".R")})
      if (joint.name.starts_with(word)) joint.name = joint.name.substr(std::string(word).size()) + mark;
    joint.name = "DEF-" + joint.name;
    joint.role.clear();
  }
  const PoseMatch match(from, to);
  EXPECT_FALSE(match.same());
  ASSERT_TRUE(match.by_role());
  EXPECT_GT(2 * match.matched(), match.deforming());
  Pose pose = rest_pose(from);
  const Index forearm = from.skeleton.find("LeftForearm"), shin = from.skeleton.find("RightShin");
  ASSERT_NE(forearm, kNone);
  ASSERT_NE(shin, kNone);
  for (const Index j : {forearm, shin})
    pose.local[j].rotation = pose.local[j].rotation * rotation_exp(Vec3(0.8, 0, 0.4));
  const ModelPose model = motion::resolve(from.skeleton, pose);
  const ModelPose taken = motion::resolve(to.skeleton, match.pose(pose, model));
  for (std::size_t j = 0; j < from.skeleton.joints.size(); ++j) {
    const Vec3 there = model.joints[j].topRightCorner<3, 1>(), here = taken.joints[j].topRightCorner<3, 1>();
    EXPECT_LT((there - here).norm(), 1e-3) << from.skeleton.joints[j].name;
  }
}

}  // namespace
}  // namespace sinew::studio
