// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/twist_tree.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "tests/deform/twist_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;

double difference(const Mat4& a, const Mat4& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(TwistTree, SwingAndTwistMakeUpTheRotationAgain) {
  std::mt19937 rng(1);
  for (int i = 0; i < 100000; ++i) {
    Quat q = random_rotation(rng);
    if (i % 10 == 0) q = Quat(0, q.x(), q.y(), q.z()).normalized();
    const Vec3 axis = random_vector(rng).normalized();
    const double expected = 20 * static_cast<double>(static_cast<int>(rng() % 100) - 50) / 100;
    const double angle = nearest_twist_rad(q, axis, expected);
    ASSERT_LE(std::abs(angle - expected), kPi + 1e-12);
    const Quat twist(std::cos(angle / 2), std::sin(angle / 2) * axis.x(), std::sin(angle / 2) * axis.y(),
                     std::sin(angle / 2) * axis.z());
    const Quat swing = q * twist.conjugate();
    ASSERT_LT(std::abs(swing.vec().dot(axis)), 1e-12);
    const Quat again = swing * twist;
    ASSERT_LT(std::min((again.coeffs() - q.coeffs()).norm(), (again.coeffs() + q.coeffs()).norm()), 1e-12);
  }
}

TEST(TwistTree, ARotationThatTurnsTheAxisRoundHasTheTwistThatIsExpected) {
  EXPECT_EQ(nearest_twist_rad(Quat(0, 1, 0, 0), Vec3::UnitY(), 7.0), 7.0);
}

TEST(TwistTree, FollowsARampOfManyTurns) {
  const Vec3 axis = Vec3(1, 2, -0.5).normalized();
  double angle = 0;
  for (int degrees = 0; degrees <= 1000; degrees += 5) {
    const Quat q = rotation_exp(0.7 * axis.unitOrthogonal()) * rotation_exp(radians(degrees) * axis);
    angle = nearest_twist_rad(q, axis, angle);
    EXPECT_NEAR(angle, radians(degrees), 1e-9);
  }
}

TEST(TwistTree, TheGainOfATurnAboutAnotherAxisIsWhatSmallStepsAddUpTo) {
  std::mt19937 rng(2);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const Quat q = random_rotation(rng);
    const Vec3 axis = random_vector(rng).normalized(), about = random_vector(rng).normalized();
    const double angle = 60 * any(rng);
    const double start = nearest_twist_rad(q, about, 0);
    double followed = start;
    constexpr int kSteps = 20000;
    for (int i = 1; i <= kSteps; ++i)
      followed = nearest_twist_rad(q * rotation_exp(angle * i / kSteps * axis), about, followed);
    EXPECT_NEAR(twist_gain_rad(q, axis, angle, about), followed - start, 1e-8);
  }
}

// Against the same in the joints' own frames, which it never looks at.
TEST(TwistTree, AgreesWithTheFormulasInJointFramesOnBranchedSkeletons) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 rng(seed);
    const Skeleton skeleton = random_skeleton(rng, 10);
    const auto segments = all_segments(skeleton);
    const std::vector<Mat4> bind = rest_matrices(skeleton);
    const ModelPose pose = in_model_space(skeleton, random_local_pose(rng, skeleton, 3));
    const auto expected = test::scalar_twists(skeleton, segments, bind, pose);
    const TwistTree tree = make_twist_tree(skeleton, segments, bind, 1);
    TwistPose twists;
    twist_pose(tree, pose, twists);
    ASSERT_EQ(tree.joints.size(), 10U);
    for (Index k = 0; k < 10; ++k) {
      EXPECT_NEAR(twists.angle_rad[k], expected.angle_rad[k], 1e-10);
      EXPECT_LT(difference(twists.twisted[k], expected.twisted[k]), 1e-10);
      EXPECT_LT((twists.motions[k] - expected.matrices[k].topLeftCorner<3, 3>()).norm(), 1e-10);
    }
  }
}

// Which joints have frames of their own is a choice: the same motion of bound space gives the same twists.
TEST(TwistTree, DoesNotDependOnTheChoiceOfJointFrames) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 rng(seed);
    const Skeleton skeleton = random_skeleton(rng, 9);
    const auto segments = all_segments(skeleton);
    std::vector<Mat4> bind = rest_matrices(skeleton);
    ModelPose pose = in_model_space(skeleton, random_local_pose(rng, skeleton, 2.5));
    TwistPose before, after;
    twist_pose(make_twist_tree(skeleton, segments, bind, 1), pose, before);
    for (Index k = 0; k < 9; ++k) {
      const Mat4 turn = Transform{Vec3::Zero(), random_rotation(rng), Vec3::Ones()}.matrix();
      bind[k] = bind[k] * turn;
      pose.joints[k] = pose.joints[k] * turn;
    }
    twist_pose(make_twist_tree(skeleton, segments, bind, 1), pose, after);
    for (Index k = 0; k < 9; ++k) {
      EXPECT_NEAR(after.angle_rad[k], before.angle_rad[k], 1e-10);
      EXPECT_LT(difference(after.twisted[k], before.twisted[k]), 1e-10);
    }
  }
}

// What the pose counts are turns about the joint's own bone, away from rest; the skin was bound elsewhere.
TEST(TwistTree, FollowsTurnsThatThePoseCountsAboutTheJointsOwnBone) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    Skeleton skeleton = random_skeleton(rng, 4);
    for (Index j = 1; j < 4; ++j) {
      skeleton.joints[j].parent = j - 1;
      // Bends of the chain at rest of less than a right angle, in frames that point anywhere.
      const Vec3 bone = skeleton.joints[j - 1].rest.rotation.conjugate() * skeleton.joints[j - 1].rest.translation;
      skeleton.joints[j].rest.translation = bone.normalized() + 0.5 * random_vector(rng).normalized();
    }
    std::vector<Mat4> bind = model_matrices(skeleton, random_local_pose(rng, skeleton, 0.2).local);
    // Joint 2 is passed over: what it turns adds to joint 3.
    const std::vector<Segmentation::Segment> segments = {{0, 1}, {1, 3}, {3, kNone}};
    const TwistTree tree = make_twist_tree(skeleton, segments, bind, 1);
    ASSERT_EQ(tree.joints.size(), 3U);
    ASSERT_EQ(tree.joints[2].path.size(), 2U);
    std::vector<Quat> swings;
    std::vector<double> most;
    for (Index j = 0; j < 4; ++j) {
      const Vec3 axis = bone_axis(skeleton, j);
      swings.push_back(rotation_exp(0.4 * any(rng) * axis.unitOrthogonal()));
      most.push_back(radians(1000) * any(rng));
    }
    TwistPose twists;
    std::vector<double> last;
    for (int step = 0; step <= 2000; ++step) {
      Pose pose = random_local_pose(rng, skeleton, 0);
      pose.twist_rad.assign(4, 0);
      for (Index j = 0; j < 4; ++j) {
        pose.twist_rad[j] = most[j] * step / 2000;
        pose.local[j].rotation =
            skeleton.joints[j].rest.rotation * swings[j] * rotation_exp(pose.twist_rad[j] * bone_axis(skeleton, j));
      }
      twist_pose(tree, in_model_space(skeleton, pose), twists);
      for (std::size_t k = 0; k < last.size(); ++k) EXPECT_LT(std::abs(twists.angle_rad[k] - last[k]), 0.5) << seed;
      last = twists.angle_rad;
    }
    EXPECT_GT(std::abs(last[1]), std::abs(most[1]) - kPi);
  }
}

TEST(TwistTree, WithoutCountsTwistsLieWithinHalfATurn) {
  StraightChain chain = straight_chain({0, radians(350), radians(540) + 0.1});
  const TwistTree tree =
      make_twist_tree(chain.skeleton, all_segments(chain.skeleton), rest_matrices(chain.skeleton), 1);
  TwistPose twists;
  twist_pose(tree, in_model_space(chain.skeleton, chain.pose), twists);
  EXPECT_NEAR(twists.angle_rad[1], radians(350), 1e-9);
  EXPECT_NEAR(twists.angle_rad[2], radians(540) + 0.1, 1e-9);
  chain.pose.twist_rad.clear();
  twist_pose(tree, in_model_space(chain.skeleton, chain.pose), twists);
  EXPECT_NEAR(twists.angle_rad[1], -radians(10), 1e-9);
  EXPECT_NEAR(twists.angle_rad[2], -radians(180) + 0.1, 1e-9);
}

TEST(TwistTree, AMirroredSkeletonTwistsTheSame) {
  std::mt19937 rng(5);
  const Skeleton skeleton = random_skeleton(rng, 8);
  const auto segments = all_segments(skeleton);
  std::vector<Mat4> bind = rest_matrices(skeleton);
  Pose local = random_local_pose(rng, skeleton, 0.5);
  local.twist_rad.assign(8, 0);
  for (Index j = 1; j < 8; ++j) {
    local.twist_rad[j] = 7.0;
    local.local[j].rotation = skeleton.joints[j].rest.rotation * rotation_exp(7.0 * bone_axis(skeleton, j));
  }
  ModelPose pose = in_model_space(skeleton, local);
  TwistPose twists, mirrored;
  twist_pose(make_twist_tree(skeleton, segments, bind, 1), pose, twists);
  const Mat4 mirror = Vec4(-1, 1, 1, 1).asDiagonal();
  for (Index j = 0; j < 8; ++j) bind[j] = mirror * bind[j], pose.joints[j] = mirror * pose.joints[j];
  twist_pose(make_twist_tree(skeleton, segments, bind, 1), pose, mirrored);
  // The other way round in space.
  for (Index j = 0; j < 8; ++j) EXPECT_NEAR(mirrored.angle_rad[j], -twists.angle_rad[j], 1e-9);
}

TEST(TwistTree, ScaleDoesNotTwist) {
  StraightChain chain = straight_chain({0.3, 2.5, -1});
  const TwistTree tree =
      make_twist_tree(chain.skeleton, all_segments(chain.skeleton), rest_matrices(chain.skeleton), 1);
  for (Transform& local : chain.pose.local) local.scale = Vec3(1.7, 0.8, 1.7);
  TwistPose twists;
  twist_pose(tree, in_model_space(chain.skeleton, chain.pose), twists);
  EXPECT_NEAR(twists.angle_rad[1], 2.5, 1e-9);
  EXPECT_NEAR(twists.angle_rad[2], -1, 1e-9);
  // A flat or mirroring joint has none, nor what hangs on it.
  chain.pose.local[1].scale = Vec3(1, 0, 1);
  twist_pose(tree, in_model_space(chain.skeleton, chain.pose), twists);
  EXPECT_EQ(twists.angle_rad, std::vector<double>(3, 0));
  chain.pose.local[1].scale = Vec3(1, -1, 1);
  twist_pose(tree, in_model_space(chain.skeleton, chain.pose), twists);
  EXPECT_EQ(twists.angle_rad[1], 0);
}

// A wrist made of two joints at one place: the bone before them takes up both their twists.
TEST(TwistTree, JointsAtOnePlaceShareTheBoneBeforeThem) {
  StraightChain chain = straight_chain({0, 1.5, 2.0, 0.5});
  chain.skeleton.joints[2].rest.translation.setZero();
  chain.pose.local[2].translation.setZero();
  const std::vector<Segmentation::Segment> segments = {{0, 1}, {2, 3}, {3, kNone}, {1, kNone}};
  const TwistTree tree = make_twist_tree(chain.skeleton, segments, rest_matrices(chain.skeleton), 1);
  TwistPose twists;
  twist_pose(tree, in_model_space(chain.skeleton, chain.pose), twists);
  EXPECT_EQ(tree.bones[0].twisting, (std::vector<Index>{1, 2}));
  EXPECT_NEAR(twists.angle_rad[1], 1.5, 1e-12);
  EXPECT_NEAR(twists.angle_rad[2], 2.0, 1e-12);
  EXPECT_TRUE(tree.is_beyond(1, 0));
  EXPECT_TRUE(tree.is_beyond(2, 0));
  EXPECT_FALSE(tree.is_beyond(0, 1));
  EXPECT_FALSE(tree.is_beyond(0, 2));
}

TEST(TwistTree, SegmentsThatDoNotFitTheSkeletonAreRefused) {
  const StraightChain chain = straight_chain({0, 0, 0});
  const auto tree = [&](const std::vector<Segmentation::Segment>& segments) {
    return make_twist_tree(chain.skeleton, segments, rest_matrices(chain.skeleton), 1);
  };
  EXPECT_NO_THROW(tree({{0, 2}, {2, kNone}}));
  EXPECT_THROW(tree({{2, 0}}), Error);
  EXPECT_THROW(tree({{1, 1}}), Error);
  EXPECT_THROW(tree({{0, 2}, {1, 2}}), Error);
}

}  // namespace
}  // namespace sinew::deform
