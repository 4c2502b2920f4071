// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/names/shape_roles.h"

#include <gtest/gtest.h>

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
