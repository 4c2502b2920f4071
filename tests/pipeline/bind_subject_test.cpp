// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_subject.h"

#include <gtest/gtest.h>

namespace sinew::pipeline {
namespace {

Mat4 shift(const Vec3& by) {
  Mat4 m = Mat4::Identity();
  m.topRightCorner<3, 1>() = by;
  return m;
}

MeshPart part_of(Index first, Index count, Index skin, Index joint = kNone) {
  MeshPart part;
  part.first_vertex = first;
  part.vertex_count = count;
  part.skin = skin;
  part.joint = joint;
  return part;
}

/// root → hips → knee, and a prop below the knee; a skin of three vertices and one of two.
Rig two_skins() {
  Rig rig;
  const auto joint = [&](const char* name, Index parent, const Vec3& local, bool deforming) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    joint.rest.translation = local;
    joint.deforming = deforming;
    rig.skeleton.joints.push_back(joint);
  };
  joint("root", kNone, Vec3::Zero(), false);
  joint("hips", 0, Vec3(0, 1, 0), true);
  joint("knee", 1, Vec3(0, -0.5, 0), true);
  joint("sword", 2, Vec3(0.1, 0, 0), false);
  for (int k = 0; k < 6; ++k) rig.mesh.positions.emplace_back(0.1 * k, 0.2 * k, 0);
  rig.mesh.parts = {part_of(0, 2, 0), part_of(2, 3, 1), part_of(5, 1, kNone, 3)};
  rig.skins = {{"small", {1, 2}, {shift(Vec3(0, -3, 0)), shift(Vec3(0, -2, 0))}},
               {"large", {2}, {shift(Vec3(0, -0.4, 0))}}};
  for (int v = 0; v < 5; ++v) rig.weights.add_row({{2, 1.0F}});
  rig.weights.add_row({{3, 1.0F}});
  return rig;
}

TEST(BindingMatrices, AJointStandsWhereTheSkinWithMostVerticesHasIt) {
  Findings warnings;
  const std::vector<Mat4> frames = binding_matrices(two_skins(), warnings);
  EXPECT_TRUE(frames[1].isApprox(shift(Vec3(0, 3, 0)))) << "only the small skin lists it";
  EXPECT_TRUE(frames[2].isApprox(shift(Vec3(0, 0.4, 0)))) << "the large skin holds";
  EXPECT_TRUE(frames[3].isApprox(shift(Vec3(0.1, 0.4, 0)))) << "no skin lists it: at rest under its parent";
  EXPECT_TRUE(frames[0].isApprox(Mat4::Identity()));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "bind.skins_disagree");
  EXPECT_EQ(warnings[0].where, "knee");
}

TEST(BindingMatrices, SkinsThatAgreeGiveNoWarning) {
  Rig rig = two_skins();
  rig.skins[0].inverse_bind[1] = rig.skins[1].inverse_bind[0];
  Findings warnings;
  binding_matrices(rig, warnings);
  EXPECT_TRUE(warnings.empty());
}

TEST(JointsToBind, NamesComeFirstThenWeightsThenWhatSkinsList) {
  const Rig rig = two_skins();
  EXPECT_EQ(joints_to_bind(rig.skeleton, rig.weights, {"root", "hips"}), (std::vector<char>{1, 1, 0, 0}));
  EXPECT_EQ(joints_to_bind(rig.skeleton, rig.weights, {}), (std::vector<char>{0, 0, 1, 1}));
  EXPECT_EQ(joints_to_bind(rig.skeleton, {}, {}), (std::vector<char>{0, 1, 1, 0}));
}

TEST(JointsToBind, AnUnknownNameIsRefusedWithTheNearestOne) {
  const Rig rig = two_skins();
  try {
    joints_to_bind(rig.skeleton, rig.weights, {"hips", "kneee"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'knee'"), std::string::npos) << error.what();
  }
}

TEST(JointsToBind, NothingLeftIsRefused) {
  Skeleton skeleton;
  EXPECT_THROW(joints_to_bind(skeleton, {}, {}), Error);
  Joint joint;
  joint.name = "hand_ctrl";
  skeleton.joints = {joint};
  EXPECT_THROW(joints_to_bind(skeleton, {}, {}), Error);
  EXPECT_EQ(joints_to_bind(skeleton, {}, {"hand_ctrl"}), std::vector<char>{1});
}

TEST(BindSubject, WhatHangsRigidlyOnANodeDoesNotMakeItAJointOfTheSkin) {
  const Rig rig = two_skins();
  Findings warnings;
  const binding::Subject subject = bind_subject(rig, {}, warnings);
  EXPECT_EQ(subject.bound, (std::vector<char>{0, 0, 1, 0}));
  EXPECT_EQ(&subject.mesh, &rig.mesh);
}

TEST(BindSubject, NodesThatAreThereForAMeshAloneAreNoJoints) {
  Rig rig = two_skins();
  rig.skins.clear();
  rig.weights = {};
  for (Joint& joint : rig.skeleton.joints) joint.deforming = false;
  for (MeshPart& part : rig.mesh.parts) part.skin = kNone;
  Findings warnings;
  EXPECT_EQ(bind_subject(rig, {}, warnings).bound, (std::vector<char>{1, 1, 1, 0}));
  EXPECT_EQ(bind_subject(rig, {"sword"}, warnings).bound, (std::vector<char>{0, 0, 0, 1})) << "unless it is named";
}

TEST(WithLeafEnds, MeshesAndSocketsDoNotTellWhereALimbEnds) {
  Rig rig = two_skins();
  const auto end = [&] {
    const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
    return with_leaf_ends(rig, frames, {0, 1, 1, 0, 0}).joints[2].end_local.value_or(Vec3(9, 9, 9));
  };
  Joint more;
  more.name = "knee_slot";
  more.parent = 2;
  more.rest.translation = Vec3(0, 0, 0.3);
  rig.skeleton.joints.push_back(more);
  EXPECT_TRUE(end().isApprox(Vec3(0, -0.5, 0))) << "as far again as the bone before";
  rig.skeleton.joints[4].name = "shin_end";
  EXPECT_TRUE(end().isApprox(Vec3(0, 0, 0.3)));
}

}  // namespace
}  // namespace sinew::pipeline
