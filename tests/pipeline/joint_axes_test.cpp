// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/joint_axes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "sinew/pipeline/edit_skeleton.h"
#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

// What each joint of a skin does to the mesh: where it is, times its bind matrix.
std::vector<Mat4> skin_transforms(const Character& character, double time_s) {
  const Rig& rig = character.rig;
  const ModelPose pose = motion::resolve(rig.skeleton, motion::sample(rig, character.clips[0], time_s));
  std::vector<Mat4> result;
  for (std::size_t k = 0; k < rig.skins[0].joints.size(); ++k)
    result.push_back(pose.joints[rig.skins[0].joints[k]] * rig.skins[0].inverse_bind[k]);
  return result;
}

void expect_same_skin(const Character& before, const Character& after, double slack) {
  for (const double t : {0.0, 0.13, 0.5, 0.77}) {
    const std::vector<Mat4> a = skin_transforms(before, t), b = skin_transforms(after, t);
    ASSERT_LE(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_LT((a[k] - b[k]).cwiseAbs().maxCoeff(), slack) << "joint " << k << " at " << t;
  }
}

Character moving_human() {
  Character human = test::made_human("a");
  human.clips = {motion::builtin_clip(human.rig.skeleton, "walk")};
  return human;
}

Index add_helper(Character& human, const char* name, const char* parent, const Driver& driver) {
  Joint joint;
  joint.name = name;
  joint.parent = human.rig.skeleton.find(parent);
  joint.rest.translation = Vec3(0.02, 0.05, 0.01);
  joint.rest.rotation = Quat(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()));
  joint.deforming = true;
  joint.role = "helper";
  joint.driver = driver;
  human.rig.skeleton.joints.push_back(joint);
  human.rig.skins[0].joints.push_back(human.rig.skeleton.size() - 1);
  human.rig.skins[0].inverse_bind.push_back(rest_matrices(human.rig.skeleton).back().inverse());
  return human.rig.skeleton.size() - 1;
}

TEST(JointAxes, EveryPresetKeepsTheShapeAndTheMotion) {
  const Character before = moving_human();
  for (const rigging::Preset& preset : rigging::presets()) {
    const SkeletonResult result = edit_skeleton(before, {.preset = preset});
    EXPECT_TRUE(validate(result.character).empty()) << preset.name;
    expect_same_skin(before, result.character, 2e-6);
  }
}

TEST(JointAxes, AxesPointAsThePresetSays) {
  const Character before = moving_human();
  const auto axis_of_arm = [&](const char* preset, const char* upper, const char* lower) {
    const SkeletonResult result = edit_skeleton(before, {.preset = std::string(preset)});
    const Skeleton& skeleton = result.character.rig.skeleton;
    const std::vector<Mat4> rest = rest_matrices(skeleton);
    const Mat4 arm = rest[skeleton.find(upper)];
    const Vec3 bone = (rest[skeleton.find(lower)] - arm).topRightCorner<3, 1>().normalized();
    return Vec3(arm.topLeftCorner<3, 3>().transpose() * bone);
  };
  EXPECT_LT((axis_of_arm("unreal", "upperarm_l", "lowerarm_l") - Vec3::UnitX()).norm(), 1e-6);
  EXPECT_LT((axis_of_arm("unreal", "thigh_r", "calf_r") - Vec3::UnitX()).norm(), 1e-6);
  EXPECT_LT((axis_of_arm("mixamo", "mixamorig:LeftArm", "mixamorig:LeftForeArm") - Vec3::UnitY()).norm(), 1e-6);
  const Skeleton vrm = edit_skeleton(before, {.preset = std::string("vrm")}).character.rig.skeleton;
  for (const char* name : {"hips", "leftUpperArm", "rightLowerLeg", "head"})
    EXPECT_LT((rest_matrices(vrm)[vrm.find(name)].topLeftCorner<3, 3>() - Mat3::Identity()).norm(), 1e-6) << name;
}

TEST(JointAxes, DriversFollow) {
  Character before = moving_human();
  const Index source = before.rig.skeleton.find("LeftForearm");
  Driver driver;
  driver.source = source;
  driver.axis = Vec3(0.1, 1, 0.2).normalized();
  add_helper(before, "Twist", "LeftUpperArm", driver);
  driver.kind = Driver::Kind::kRotationShare;
  add_helper(before, "Share", "LeftUpperArm", driver);
  driver.kind = Driver::Kind::kAim;
  add_helper(before, "Aim", "Chest", driver);
  driver.kind = Driver::Kind::kDrivenKeys;
  driver.keys = {{-1, 0.3}, {0, 0}, {1, -0.7}};
  driver.before = Quat(Eigen::AngleAxisd(0.2, Vec3::UnitX()));
  add_helper(before, "Keys", "LeftUpperArm", driver);
  driver.kind = Driver::Kind::kPolynomial;
  driver.coefficients.assign(6, std::vector<double>(20, 0));
  for (std::size_t o = 0; o < 6; ++o)
    for (std::size_t i = 0; i < 20; ++i) driver.coefficients[o][i] = 0.05 * std::sin(3.0 * double(o) + 7.0 * double(i));
  add_helper(before, "Curved", "LeftUpperArm", driver);
  const SkeletonResult result = edit_skeleton(before, {.preset = std::string("unreal")});
  expect_same_skin(before, result.character, 3e-6);
}

TEST(JointAxes, FeetBelowTheRootAreAttachedAndMoveAsBefore) {
  Character before = moving_human();
  before = edit_skeleton(before, {.reparent = {{"LeftFoot", "Hips"}, {"RightFoot", "Hips"}}}).character;
  const SkeletonResult result = edit_skeleton(before, {.preset = std::string("unreal")});
  EXPECT_EQ(result.preset.attached, (std::vector<std::string>{"LeftFoot", "RightFoot"}));
  EXPECT_EQ(result.preset.root, "root");
  const Skeleton& skeleton = result.character.rig.skeleton;
  EXPECT_EQ(skeleton.joints[skeleton.find("foot_l")].parent, skeleton.find("calf_l"));
  EXPECT_EQ(skeleton.joints[skeleton.find("pelvis")].parent, skeleton.find("root"));
  // Joints with another parent get new keys, between which they move on other curves.
  for (const float t : before.clips[0].tracks[0].times_s) {
    const auto a = skin_transforms(before, static_cast<double>(t)),
               b = skin_transforms(result.character, static_cast<double>(t));
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_LT((a[k] - b[k]).cwiseAbs().maxCoeff(), 5e-6) << k;
  }
}

TEST(JointAxes, LimitsFollowAxesOrLeave) {
  Character before = moving_human();
  Joint& knee = before.rig.skeleton.joints[before.rig.skeleton.find("LeftShin")];
  knee.limits = RotationLimits{Vec3(-0.1, -0.2, 0), Vec3(0.3, 0.4, 2)};
  std::vector<Quat> turns(before.rig.skeleton.joints.size(), Quat::Identity());
  const Index j = before.rig.skeleton.find("LeftShin");
  Character turned = before;
  turns[j] = Quat(Eigen::AngleAxisd(kPi / 2, Vec3::UnitZ()));
  EXPECT_TRUE(rotate_axes(turned, turns).findings.empty());
  const RotationLimits limits = *turned.rig.skeleton.joints[j].limits;
  EXPECT_LT((limits.lower_rad - Vec3(-0.2, -0.3, 0)).norm(), 1e-9);
  EXPECT_LT((limits.upper_rad - Vec3(0.4, 0.1, 2)).norm(), 1e-9);
  turned = before;
  turns[j] = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()));
  EXPECT_EQ(rotate_axes(turned, turns).findings.size(), 1);
  EXPECT_FALSE(turned.rig.skeleton.joints[j].limits);
}

TEST(JointAxes, UnevenlyScaledJointsKeepTheirAxes) {
  Character before = moving_human();
  before.rig.skeleton.joints[before.rig.skeleton.find("Head")].rest.scale = Vec3(1, 1.3, 0.8);
  const SkeletonResult result = edit_skeleton(before, {.preset = std::string("unreal")});
  ASSERT_EQ(result.findings.size(), 1);
  EXPECT_EQ(result.findings[0].code, "skeleton.axes_kept");
  expect_same_skin(before, result.character, 2e-6);
}

}  // namespace
}  // namespace sinew::pipeline
