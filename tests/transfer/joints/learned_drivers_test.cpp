// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/learned_drivers.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/motion/drivers.h"

namespace sinew::transfer {
namespace {

enum : Index { kShoulder, kElbow, kWrist, kTwist };

/// Three joints of an arm and a helper below the upper arm, each frame turned.
Skeleton arm_with_helper() {
  Skeleton skeleton;
  for (const Index parent : {kNone, Index{kShoulder}, Index{kElbow}, Index{kShoulder}}) {
    Joint joint;
    joint.name = "joint" + std::to_string(skeleton.size());
    joint.parent = parent;
    joint.rest.translation = Vec3(parent == kNone ? 0 : 1, 0, 0);
    joint.rest.rotation = rotation_exp(Vec3(0.2, 0.1, -0.3) * static_cast<double>(skeleton.size()));
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

/// Random poses in which the helper does what a driver says, without the driver itself.
std::vector<Pose> examples_of(const Skeleton& skeleton, const Driver& driver, int count, double noise_rad = 0) {
  Skeleton driven = skeleton;
  driven.joints[kTwist].driver = driver;
  const motion::Drivers drivers(driven);
  std::mt19937 random(7);
  std::normal_distribution<double> angle(0, 0.4);
  std::vector<Pose> poses;
  for (int i = 0; i < count; ++i) {
    Pose pose;
    for (const Joint& joint : skeleton.joints) {
      pose.local.push_back(joint.rest);
      pose.local.back().rotation =
          joint.rest.rotation * rotation_exp(Vec3(angle(random), angle(random), angle(random)));
    }
    drivers.apply(pose);
    Quat& helper = pose.local[kTwist].rotation;
    helper = helper * rotation_exp(noise_rad * Vec3(angle(random), angle(random), angle(random)));
    poses.push_back(pose);
  }
  return poses;
}

TEST(LearnedDriver, FindsTheSourceAndShareOfARotation) {
  const Skeleton skeleton = arm_with_helper();
  Driver driver;
  driver.kind = Driver::Kind::kRotationShare;
  driver.source = kElbow;
  driver.share = 0.35;
  const LearnedDriver learned = learned_driver(skeleton, kTwist, {0, 0, 0, 1}, examples_of(skeleton, driver, 40));
  ASSERT_TRUE(learned.driver.has_value());
  EXPECT_EQ(learned.driver->kind, Driver::Kind::kRotationShare);
  EXPECT_EQ(learned.driver->source, kElbow);
  EXPECT_NEAR(learned.driver->share, 0.35, 1e-6);
  EXPECT_LT(learned.error_rad, 1e-6);
}

TEST(LearnedDriver, FindsAShareOfATwistAboutAnyAxis) {
  const Skeleton skeleton = arm_with_helper();
  Driver driver;
  driver.source = kElbow;
  driver.axis = Vec3(0.2, 0.9, 0.1).normalized();
  driver.share = -0.6;
  const LearnedDriver learned =
      learned_driver(skeleton, kTwist, {0, 0, 0, 1}, examples_of(skeleton, driver, 40, radians(0.5)));
  ASSERT_TRUE(learned.driver.has_value());
  EXPECT_EQ(learned.driver->kind, Driver::Kind::kTwistShare);
  EXPECT_EQ(learned.driver->source, kElbow);
  EXPECT_NEAR(std::abs(learned.driver->share), 0.6, 0.02);
  EXPECT_LT(learned.error_rad, radians(1));
}

TEST(LearnedDriver, FitsAPolynomialWhereSharesDoNotDo) {
  const Skeleton skeleton = arm_with_helper();
  Driver driver;
  driver.kind = Driver::Kind::kPolynomial;
  driver.source = kShoulder;
  driver.coefficients.assign(6, std::vector<double>(10, 0.0));
  driver.coefficients[3][4] = 0.8, driver.coefficients[4][7] = 0.5, driver.coefficients[5][1] = 0.3;
  driver.coefficients[0][2] = 0.1;
  const LearnedDriver learned = learned_driver(skeleton, kTwist, {0, 0, 0, 1}, examples_of(skeleton, driver, 120));
  ASSERT_TRUE(learned.driver.has_value());
  EXPECT_EQ(learned.driver->kind, Driver::Kind::kPolynomial);
  EXPECT_EQ(learned.driver->source, kShoulder);
  EXPECT_LT(learned.error_rad, 0.05 * learned.motion_rad);
  EXPECT_NEAR(learned.driver->coefficients[0][2], 0.1, 0.01);
}

TEST(LearnedDriver, ASourceBelowTheJointCountsFromTheLimbAboveIt) {
  // The forearm is below the second half of the upper arm, which takes half of the twist of both.
  Skeleton skeleton;
  for (const Index parent : {kNone, Index{0}, Index{1}}) {
    Joint joint;
    joint.name = "joint" + std::to_string(skeleton.size());
    joint.parent = parent;
    joint.rest.translation = Vec3(parent == kNone ? 0 : 1, 0, 0);
    joint.rest.rotation = rotation_exp(Vec3(0.4, 0, 0) * static_cast<double>(skeleton.size()));
    skeleton.joints.push_back(joint);
  }
  std::mt19937 random(3);
  std::normal_distribution<double> angle(0, 0.4);
  std::vector<Pose> poses;
  for (int i = 0; i < 40; ++i) {
    Pose pose;
    for (const Joint& joint : skeleton.joints) pose.local.push_back(joint.rest);
    const double twist = angle(random);
    pose.local[0].rotation = pose.local[0].rotation * rotation_exp(Vec3(angle(random), angle(random), angle(random)));
    pose.local[1].rotation = pose.local[1].rotation * rotation_exp(Vec3(0.5 * twist, 0, 0));
    pose.local[2].rotation = pose.local[2].rotation * rotation_exp(Vec3(0.5 * twist, 0, 0));
    poses.push_back(pose);
  }
  const LearnedDriver learned = learned_driver(skeleton, 1, {0, 1, 0}, poses);
  ASSERT_TRUE(learned.driver.has_value());
  EXPECT_EQ(learned.driver->source, 2u);
  EXPECT_NEAR(std::abs(learned.driver->share), 0.5, 1e-6);
  EXPECT_LT(learned.error_rad, 1e-6);
}

TEST(LearnedDriver, LearnsNothingFromRandomMotionOrAJointThatRests) {
  const Skeleton skeleton = arm_with_helper();
  Driver still;
  still.kind = Driver::Kind::kRotationShare;
  still.source = kElbow;
  still.share = 0;
  EXPECT_FALSE(learned_driver(skeleton, kTwist, {0, 0, 0, 1}, examples_of(skeleton, still, 40)).driver.has_value());
  EXPECT_FALSE(
      learned_driver(skeleton, kTwist, {0, 0, 0, 1}, examples_of(skeleton, still, 60, 1.0)).driver.has_value());
  still.share = 0.5;
  EXPECT_FALSE(learned_driver(skeleton, kTwist, {0, 0, 0, 1}, examples_of(skeleton, still, 4)).driver.has_value());
}

}  // namespace
}  // namespace sinew::transfer
