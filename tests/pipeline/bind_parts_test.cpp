// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_parts.h"

#include <gtest/gtest.h>

#include <array>

#include "sinew/core/error.h"

namespace sinew::pipeline {
namespace {

/// A body with a skin, a hat on the head joint, and a cloak that nothing moves.
Rig dressed() {
  Rig rig;
  for (const char* name : {"node", "hips", "head", "hat"}) {
    Joint joint;
    joint.name = name;
    joint.parent = rig.skeleton.empty() ? kNone : rig.skeleton.size() - 1;
    joint.rest.translation = Vec3(0, 1, 0);
    rig.skeleton.joints.push_back(joint);
  }
  const auto part = [&](const char* name, Index skin, Index joint) {
    MeshPart part;
    part.name = name;
    part.first_vertex = rig.mesh.vertex_count();
    part.vertex_count = 3;
    part.first_face = rig.mesh.face_count();
    part.face_count = 1;
    part.skin = skin;
    part.joint = joint;
    for (int k = 0; k < 3; ++k) rig.mesh.positions.emplace_back(k, k * k, part.first_vertex);
    rig.mesh.add_face(std::array<Index, 3>{part.first_vertex, part.first_vertex + 1, part.first_vertex + 2});
    rig.mesh.parts.push_back(part);
  };
  part("hat", kNone, 3);
  part("body", 0, kNone);
  part("cloak", kNone, kNone);
  part("base", kNone, 0);
  rig.skins = {{"skin", {1}, {Mat4::Identity()}}};
  return rig;
}

TEST(BindParts, WhatHangsBelowABoundJointStaysAndTheRestIsBound) {
  const Rig rig = dressed();
  const std::vector<PartPlan> plan = plan_parts(rig, {0, 1, 1, 0});
  EXPECT_EQ(plan[0].treatment, PartTreatment::kKeep);
  for (const std::size_t p : {1U, 2U, 3U}) EXPECT_EQ(plan[p].treatment, PartTreatment::kBind) << p;
  const ChosenParts chosen = chosen_parts(rig.mesh, plan);
  EXPECT_EQ(chosen.vertices, (std::vector<Index>{3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_TRUE(validate(chosen.mesh).empty());
  EXPECT_EQ(chosen.mesh.face(1)[2], 5U);
  for (std::size_t i = 0; i < chosen.vertices.size(); ++i)
    EXPECT_EQ(chosen.mesh.positions[i], rig.mesh.positions[chosen.vertices[i]]);
}

TEST(BindParts, NewRowsGoToTheirVerticesAndSkinsListTheirJoints) {
  Rig rig = dressed();
  const std::vector<PartPlan> plan = plan_parts(rig, {0, 1, 1, 0});
  const ChosenParts chosen = chosen_parts(rig.mesh, plan);
  SkinWeights rows;
  for (Index i = 0; i < 9; ++i) rows.add_row({{i < 3 ? 1U : 2U, 1.0F}});
  const SkinChanges changes = put_weights(rig, plan, chosen.vertices, rows, rest_matrices(rig.skeleton), {0, 1, 1, 0});
  EXPECT_EQ(rig.weights.row(0)[0], (Influence{3, 1.0F})) << "the hat keeps its joint";
  EXPECT_EQ(rig.weights.row(3)[0], (Influence{1, 1.0F}));
  EXPECT_EQ(rig.weights.row(8)[0], (Influence{2, 1.0F}));
  EXPECT_EQ(changes.newly_skinned_parts, 2U);
  EXPECT_EQ(changes.new_skins, 0U);
  EXPECT_EQ(changes.added_joints, 1U);
  EXPECT_EQ(rig.skins[0].joints, (std::vector<Index>{1, 2}));
  EXPECT_TRUE(rig.skins[0].inverse_bind[0].isApprox(Mat4::Identity())) << "as it was";
  EXPECT_TRUE((rig.skins[0].inverse_bind[1] * rest_matrices(rig.skeleton)[2]).isApprox(Mat4::Identity()));
  EXPECT_EQ(rig.mesh.parts[0].joint, 3U);
  EXPECT_EQ(rig.mesh.parts[2].skin, 0U);
  EXPECT_EQ(rig.mesh.parts[3].joint, kNone);
  EXPECT_TRUE(validate(rig).empty());
}

TEST(BindParts, WithoutAnySkinANewOneListsAllBoundJoints) {
  Rig rig = dressed();
  rig.skins.clear();
  rig.mesh.parts[1].skin = kNone;
  const std::vector<PartPlan> plan = plan_parts(rig, {0, 1, 1, 0});
  const ChosenParts chosen = chosen_parts(rig.mesh, plan);
  SkinWeights rows;
  for (Index i = 0; i < 9; ++i) rows.add_row({{1, 1.0F}});
  EXPECT_EQ(put_weights(rig, plan, chosen.vertices, rows, rest_matrices(rig.skeleton), {0, 1, 1, 0}).new_skins, 1U);
  EXPECT_EQ(rig.skins[0].joints, (std::vector<Index>{1, 2}));
  EXPECT_TRUE(rig.skeleton.joints[2].deforming);
  EXPECT_TRUE(validate(rig).empty());
}

TEST(BindParts, AJointScaledToNothingIsNamed) {
  Rig rig = dressed();
  rig.skeleton.joints[2].rest.scale = Vec3::Zero();
  const std::vector<PartPlan> plan = plan_parts(rig, {0, 1, 1, 0});
  const ChosenParts chosen = chosen_parts(rig.mesh, plan);
  SkinWeights rows;
  for (Index i = 0; i < 9; ++i) rows.add_row({{2, 1.0F}});
  EXPECT_THROW(put_weights(rig, plan, chosen.vertices, rows, rest_matrices(rig.skeleton), {0, 1, 1, 0}), Error);
}

}  // namespace
}  // namespace sinew::pipeline
