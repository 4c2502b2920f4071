// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/names/shape_roles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

// Recognized by shape, each joint must be what its name says, wherever the shape says anything at all.
void expect_roles(std::vector<test::Place> places, std::size_t least, bool turned = false) {
  if (turned)
    for (test::Place& place : places)
      place.position = Vec3(-place.position.x(), place.position.y(), -place.position.z());
  Rig rig;
  rig.skeleton = test::skeleton_at(places, 6);
  const Recognition names = recognize(rig.skeleton);
  for (Joint& joint : rig.skeleton.joints) joint.name = "bone";
  const Recognition shape = recognize_by_shape(rig);
  EXPECT_EQ(shape.build, names.build);
  std::size_t same = 0;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const JointRole &a = names.roles[j], &b = shape.roles[j];
    same += a.part == b.part && a.side == b.side;
    if (a.side != Side::kMiddle && !b.empty()) {
      EXPECT_EQ(a.side, b.side) << "never left for right: " << places[j].name;
    }
  }
  EXPECT_GE(same, least);
  EXPECT_NEAR(shape.forward.dot(names.forward), 1, 1e-6);
}

TEST(ShapeRoles, PeopleAreRecognizedInAnyRestPose) {
  for (const double lowered : {0.0, 0.8, 1.4}) expect_roles(test::person(lowered), 21);
}

TEST(ShapeRoles, SidesFollowFromTheFeetWhereverABodyFaces) { expect_roles(test::person(0.4), 21, true); }

TEST(ShapeRoles, AnimalsAreRecognized) {
  expect_roles(test::beast(), 15);
  expect_roles(test::beast(), 15, true);
}

// One vertex per joint that moves something, at the joint or at a place of its own.
Rig weighted_rig(const std::vector<test::Place>& places, const std::vector<std::string>& controls) {
  Rig rig;
  rig.skeleton = test::skeleton_at(places, 6);
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    if (std::find(controls.begin(), controls.end(), places[j].name) != controls.end()) continue;
    rig.mesh.positions.push_back(places[j].position);
    // Heads are heavy.
    const bool head = places[j].name == "Head";
    rig.weights.add_row({Influence{j, 1.0F}});
    for (int copy = 0; head && copy < 20; ++copy) {
      rig.mesh.positions.push_back(places[j].position);
      rig.weights.add_row({Influence{j, 1.0F}});
    }
  }
  return rig;
}

std::string role_at(const std::vector<test::Place>& places, const Recognition& shape, const std::string& name) {
  for (std::size_t j = 0; j < places.size(); ++j)
    if (places[j].name == name) return role_name(shape.roles[j]);
  return "no such joint";
}

// As Quaternius' animals are built: all legs and the trunk hang on one joint in the middle that moves nothing, feet on
// a root that is below the ground, and one foot has no weights.
TEST(ShapeRoles, AnimalsWhoseLegsHangOnAControlJointAreRecognized) {
  std::vector<test::Place> places = {
      {"Root", -1, {0, -0.3, 0}}, {"Body", 0, {0, 1.2, 0}},         {"Pelvis", 1, {0, 0.9, -0.5}},
      {"Torso", 2, {0, 0.9, 0}},  {"Shoulders", 3, {0, 0.9, 0.45}}, {"Neck", 4, {0, 1.1, 0.8}},
      {"Head", 5, {0, 1.4, 1.1}}, {"Rump", 1, {0, 0.9, -0.6}},      {"Tail", 7, {0, 0.9, -0.9}}};
  test::add_pair(places, {"Collar", "Humerus", "Radius"}, 1,
                 {Vec3(0.05, 0.8, 0.5), Vec3(0.2, 0.8, 0.5), Vec3(0.2, 0.4, 0.55)});
  test::add_pair(places, {"Hip", "Femur", "Tibia"}, 1,
                 {Vec3(0.05, 0.8, -0.6), Vec3(0.2, 0.8, -0.6), Vec3(0.2, 0.4, -0.65)});
  test::add_pair(places, {"Hoof"}, 0, {Vec3(0.2, 0.03, 0.5)});
  test::add_pair(places, {"HindHoof"}, 0, {Vec3(0.2, 0.05, -0.85)});
  for (const bool turned : {false, true}) {
    if (turned)
      for (test::Place& place : places)
        place.position = Vec3(place.position.z(), place.position.y(), -place.position.x());
    const Recognition shape = recognize_by_shape(weighted_rig(places, {"Root", "Body", "RightHindHoof"}));
    EXPECT_EQ(shape.build, Build::kQuadruped);
    const std::vector<std::pair<std::string, std::string>> expected = {{"Pelvis", "hips"},
                                                                       {"Shoulders", "chest"},
                                                                       {"Neck", "neck"},
                                                                       {"Head", "head"},
                                                                       {"LeftHumerus", "left_upper_arm"},
                                                                       {"LeftRadius", "left_forearm"},
                                                                       {"LeftHoof", "left_hand"},
                                                                       {"RightHumerus", "right_upper_arm"},
                                                                       {"LeftFemur", "left_thigh"},
                                                                       {"RightFemur", "right_thigh"},
                                                                       {"RightTibia", "right_shin"},
                                                                       {"RightHindHoof", "right_foot"},
                                                                       {"LeftHindHoof", "left_foot"},
                                                                       {"Body", ""}};
    for (const auto& [joint, role] : expected) EXPECT_EQ(role_at(places, shape, joint), role) << joint;
  }
}

// As Rigify builds people: limbs hang on control joints, and bones of two halves are in a row.
TEST(ShapeRoles, TwistJointsAndControlJointsAreNoMainJoints) {
  std::vector<test::Place> places = {{"Root", -1, {0, 0, 0}},      {"Pelvis", 0, {0, 0.95, 0}},
                                     {"Control", 0, {0, 0.96, 0}}, {"Chest", 2, {0, 1.25, 0}},
                                     {"Neck", 3, {0, 1.5, 0}},     {"Head", 4, {0, 1.6, 0}}};
  test::add_pair(places, {"ControlArm", "UpperArm", "UpperTwist", "Forearm", "LowerTwist", "Hand"}, 3,
                 {Vec3(0.04, 1.42, 0), Vec3(0.18, 1.4, 0), Vec3(0.32, 1.4, 0), Vec3(0.46, 1.4, 0), Vec3(0.58, 1.4, 0),
                  Vec3(0.7, 1.4, 0)});
  test::add_pair(places, {"ControlLeg", "Thigh", "ThighTwist", "Shin", "ShinTwist", "Foot", "Toes"}, 2,
                 {Vec3(0.02, 0.97, 0), Vec3(0.1, 0.9, 0), Vec3(0.1, 0.69, 0), Vec3(0.1, 0.48, 0), Vec3(0.1, 0.28, 0),
                  Vec3(0.1, 0.08, 0), Vec3(0.1, 0.02, 0.12)});
  const Recognition shape = recognize_by_shape(weighted_rig(
      places, {"Root", "Control", "LeftControlArm", "RightControlArm", "LeftControlLeg", "RightControlLeg"}));
  const std::vector<std::pair<std::string, std::string>> expected = {{"Pelvis", "hips"},
                                                                     {"LeftThigh", "left_thigh"},
                                                                     {"LeftShin", "left_shin"},
                                                                     {"LeftFoot", "left_foot"},
                                                                     {"RightFoot", "right_foot"},
                                                                     {"RightShin", "right_shin"},
                                                                     {"LeftHand", "left_hand"},
                                                                     {"LeftUpperArm", "left_upper_arm"},
                                                                     {"LeftForearm", "left_forearm"},
                                                                     {"RightForearm", "right_forearm"},
                                                                     {"LeftControlArm", "left_shoulder"}};
  for (const auto& [joint, role] : expected) EXPECT_EQ(role_at(places, shape, joint), role) << joint;
}

// A bird's toes may point backwards; its head is in front.
TEST(ShapeRoles, SidesOfABirdFollowFromItsHead) {
  std::vector<test::Place> places = {
      {"Hips", -1, {0, 0.5, 0}}, {"Neck", 0, {0, 0.6, 0.3}}, {"Head", 1, {0, 0.8, 0.45}}};
  test::add_pair(places, {"Thigh", "Shin", "Foot", "Toes"}, 0,
                 {Vec3(0.1, 0.48, 0), Vec3(0.1, 0.3, 0.05), Vec3(0.1, 0.08, -0.05), Vec3(0.1, 0.01, -0.12)});
  const Recognition shape = recognize_by_shape(weighted_rig(places, {}));
  EXPECT_EQ(role_at(places, shape, "LeftThigh"), "left_thigh");
  EXPECT_EQ(role_at(places, shape, "RightShin"), "right_shin");
}

TEST(ShapeRoles, WhatHasNoLegsHasNoRoles) {
  Rig rig;
  rig.skeleton = test::skeleton_at({{"a", -1, {0, 0, 0}}, {"b", 0, {0, 1, 0}}, {"c", 1, {0, 2, 0}}});
  const Recognition shape = recognize_by_shape(rig);
  EXPECT_EQ(shape.build, Build::kUnknown);
  for (const JointRole& role : shape.roles) EXPECT_TRUE(role.empty());
  EXPECT_TRUE(recognize_by_shape(Rig()).roles.empty());
}

}  // namespace
}  // namespace sinew::motion
