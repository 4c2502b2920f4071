// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/pose_file.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

constexpr double kRightAngle = kPi / 2;

Rig arm() {
  Rig rig;
  rig.skeleton = test::skeleton_at({{"Upper", -1, {1, 2, 3}}, {"Fore", 0, {2, 2, 3}}, {"Hand", 1, {3, 2, 3}}}, 5);
  rig.skeleton.joints[1].rest.scale = {2, 2, 2};
  rig.mesh.parts.resize(1);
  rig.mesh.parts[0].name = "Face";
  rig.mesh.parts[0].morphs = {{"smile", {}}, {"blink", {}}};
  rig.mesh.parts[0].morph_weights = {0, 0.5};
  return rig;
}

std::string pose_error(const char* text) {
  try {
    pose_from_json(Json::parse(text), arm());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

double turn_between(const Quat& a, const Quat& b) { return a.angularDistance(b); }

TEST(PoseFile, AnEmptyPoseIsTheRestPose) {
  const Rig rig = arm();
  for (const char* text : {"{}", R"({"joints": {}})", R"({"joints": {"Fore": {}}})"}) {
    const Pose pose = pose_from_json(Json::parse(text), rig);
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(pose.local[j], rig.skeleton.joints[j].rest);
    EXPECT_EQ(pose.morph_weights, rest_pose(rig).morph_weights);
  }
}

TEST(PoseFile, RestSpaceIsRelativeToTheJointsOwnFrame) {
  const Rig rig = arm();
  const Pose pose = pose_from_json(Json::parse(R"({"joints": {"Fore": {
      "rotation": {"euler_deg": [90, 0, 0]}, "translation": [0, 1, 0], "scale": [1, 3, 1]}}})"),
                                   rig);
  const Transform& rest = rig.skeleton.joints[1].rest;
  const Quat quarter(Eigen::AngleAxisd(kRightAngle, Vec3::UnitX()));
  EXPECT_LT(turn_between(delta_rotation(rest, pose.local[1]), quarter), 1e-7);
  EXPECT_LT((pose.local[1].translation - rest.translation - rest.rotation * Vec3::UnitY()).norm(), 1e-12);
  EXPECT_LT((pose.local[1].scale - Vec3(2, 6, 2)).norm(), 1e-12);
}

TEST(PoseFile, LocalSpaceIsAbsolute) {
  const Pose pose = pose_from_json(Json::parse(R"({"space": "local", "joints": {"Fore": {
      "rotation": [0, 0, 0, 2], "translation": [7, 8, 9], "scale": [1, 2, 3]}}})"),
                                   arm());
  EXPECT_LT(turn_between(pose.local[1].rotation, Quat::Identity()), 1e-7);
  EXPECT_EQ(pose.local[1].translation, Vec3(7, 8, 9));
  EXPECT_EQ(pose.local[1].scale, Vec3(1, 2, 3));
}

TEST(PoseFile, EulerOrderDecides) {
  const Rig rig = arm();
  const auto delta = [&](const char* order) {
    const Json json = {{"joints", {{"Hand", {{"rotation", {{"euler_deg", {30, 40, 50}}, {"order", order}}}}}}}};
    return delta_rotation(rig.skeleton.joints[2].rest, pose_from_json(json, rig).local[2]);
  };
  const Vec3 angles = Vec3(30, 40, 50) * kPi / 180;
  EXPECT_LT(turn_between(delta("zyx"), rotation_from_euler(angles, "zyx")), 1e-7);
  EXPECT_GT(turn_between(delta("zyx"), delta("xyz")), 0.1);
}

TEST(PoseFile, TwistGoesBeyondAFullTurnAndIntoTheRotation) {
  const Rig rig = arm();
  const Pose pose = pose_from_json(Json::parse(R"({"joints": {"Fore": {"twist_deg": 540}}})"), rig);
  const Vec3 axis = bone_axis(rig.skeleton, 1);
  EXPECT_NEAR(pose.twist_rad[1], 3 * kPi, 1e-9);
  EXPECT_LT(
      turn_between(delta_rotation(rig.skeleton.joints[1].rest, pose.local[1]), Quat(Eigen::AngleAxisd(kPi, axis))),
      1e-7);
}

TEST(PoseFile, TwistComesOnTopOfTheRotationsOwn) {
  const Rig rig = arm();
  const Vec3 axis = bone_axis(rig.skeleton, 1);
  const Quat bend(Eigen::AngleAxisd(0.7, axis.unitOrthogonal())), own(Eigen::AngleAxisd(0.4, axis));
  const Quat q = bend * own;
  const Json json = {{"joints", {{"Fore", {{"rotation", {q.x(), q.y(), q.z(), q.w()}}, {"twist_deg", 360}}}}}};
  EXPECT_NEAR(pose_from_json(json, rig).twist_rad[1], 0.4 + kTwoPi, 1e-9);
}

TEST(PoseFile, MistakesAreToldWithTheNearestNames) {
  EXPECT_NE(pose_error(R"({"joints": {"Hnad": {}}})").find("Did you mean 'Hand'?"), std::string::npos);
  EXPECT_NE(pose_error(R"({"joint": {}})").find("'joints'"), std::string::npos);
  EXPECT_NE(pose_error(R"({"joints": {"Hand": {"twistdeg": 3}}})").find("'twist_deg'"), std::string::npos);
  EXPECT_NE(pose_error(R"({"morphs": {"Face": {"smlie": 3}}})").find("'smile'"), std::string::npos);
  for (const char* bad :
       {"[]", R"({"space": "world"})", R"({"joints": []})", R"({"joints": {"Hand": 3}})",
        R"({"joints": {"Hand": {"rotation": [0, 0, 0]}}})", R"({"joints": {"Hand": {"rotation": [0, 0, 0, 0]}}})",
        R"({"joints": {"Hand": {"rotation": {"euler": [0, 0, 0]}}}})",
        R"({"joints": {"Hand": {"rotation": {"euler_deg": [0, 0, 0], "order": "xxz"}}}})",
        R"({"joints": {"Hand": {"translation": [1, 2]}}})", R"({"joints": {"Hand": {"scale": ["a", 1, 1]}}})",
        R"({"joints": {"Hand": {"twist_deg": null}}})"})
    EXPECT_FALSE(pose_error(bad).empty()) << bad;
}

TEST(PoseFile, AJointOfASharedNameIsRefused) {
  Rig rig = arm();
  rig.skeleton.joints[2].name = "Fore";
  EXPECT_THROW(pose_from_json(Json::parse(R"({"joints": {"Fore": {"twist_deg": 3}}})"), rig), Error);
}

TEST(BoneAxis, PointsToTheDeformingChildThenToTheEndThenOnward) {
  Skeleton skeleton =
      test::skeleton_at({{"A", -1, {0, 0, 0}}, {"aside", 0, {1, 0, 0}}, {"B", 0, {0, 0, 2}}, {"tip", 2, {0, 0, 3}}});
  skeleton.joints[1].deforming = false;
  EXPECT_LT((bone_axis(skeleton, 0) - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_LT((bone_axis(skeleton, 3) - Vec3::UnitZ()).norm(), 1e-12);
  skeleton.joints[3].end_local = Vec3(0, 5, 0);
  EXPECT_LT((bone_axis(skeleton, 3) - Vec3::UnitY()).norm(), 1e-12);
  for (Index j = 0; j < skeleton.size(); ++j) EXPECT_EQ(bone_axes(skeleton)[j], bone_axis(skeleton, j));
}

}  // namespace
}  // namespace sinew::motion
