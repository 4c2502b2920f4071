// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/range_of_motion.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

std::vector<RangePose> range_of(const Skeleton& skeleton, RangeDetail detail = RangeDetail::kTest) {
  return range_of_motion(skeleton, recognize(skeleton), rest_matrices(skeleton), std::vector<char>(skeleton.size(), 1),
                         detail);
}

Skeleton chain(int joints) {
  Skeleton skeleton;
  for (int j = 0; j < joints; ++j) {
    Joint joint;
    joint.name = "j" + std::to_string(j);
    joint.parent = j == 0 ? kNone : static_cast<Index>(j - 1);
    joint.rest.translation = Vec3(0, j == 0 ? 0 : 1, 0);
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

TEST(RangeOfMotion, OfASkeletonWithoutNamesBendsAndTwistsItsJoints) {
  const std::vector<RangePose> poses = range_of(chain(3));
  ASSERT_FALSE(poses.empty());
  bool bends = false, twists = false;
  for (const RangePose& pose : poses) {
    EXPECT_NE(pose.joint, 0U);
    EXPECT_NEAR(pose.axis.norm(), 1, 1e-12);
    const double along = std::abs(pose.axis.y());
    EXPECT_NEAR(along, pose.twist ? 1 : 0, 1e-12);
    twists = twists || pose.twist;
    bends = bends || !pose.twist;
  }
  EXPECT_TRUE(bends && twists);
}

TEST(RangeOfMotion, TurnsAJointAndAllBelowItAboutItsPlace) {
  const Skeleton skeleton = chain(4);
  const std::vector<Mat4> frames = rest_matrices(skeleton);
  const RangePose pose{"other", "bend", 2, false, 1.0, Vec3::UnitX()};
  const std::vector<Mat4> turned = turned_frames(skeleton, frames, pose);
  EXPECT_EQ(turned[0], frames[0]);
  EXPECT_EQ(turned[1], frames[1]);
  EXPECT_LT((turned[2].topRightCorner<3, 1>() - Vec3(0, 2, 0)).norm(), 1e-12);
  EXPECT_LT((turned[3].topRightCorner<3, 1>() - Vec3(0, 2 + std::cos(1.0), std::sin(1.0))).norm(), 1e-12);
}

TEST(RangeOfMotion, LeavesOutJointsThatMoveNoSkin) {
  const Skeleton skeleton = chain(4);
  std::vector<char> moves(4, 1);
  moves[2] = 0;
  for (const RangePose& pose : range_of_motion(skeleton, recognize(skeleton), rest_matrices(skeleton), moves))
    EXPECT_NE(pose.joint, 2U);
}

}  // namespace
}  // namespace sinew::motion
