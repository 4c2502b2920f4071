// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>

#include "sinew/binding/voxel/voxel.h"
#include "sinew/core/error.h"
#include "sinew/shapes/kinds.h"

namespace sinew::pipeline {
namespace {

Character made_human() {
  shapes::MakeOptions options;
  options.vertices = 1500;
  return shapes::make("human", options).made.character;
}

BindRequest by_voxels() {
  BindRequest request;
  request.method = MethodChoice(binding::binders(), "voxel", binding::VoxelOptions{.resolution = 48});
  return request;
}

// A binder as a program might add one: everything follows the last bound joint.
binding::BindResult bind_to_last(const binding::Subject& subject, const NoOptions&, const binding::BindOptions&,
                                 const Progress&) {
  Index last = 0;
  for (Index j = 0; j < subject.bound.size(); ++j)
    if (subject.bound[j] != 0) last = j;
  binding::BindResult result;
  result.origins = {{"last", "requested"}};
  for (std::size_t v = 0; v < subject.mesh.positions.size(); ++v) {
    result.weights.add_row({{last, 1.0F}});
    result.origin.push_back(0);
    result.confidence.push_back(0.2F);
  }
  return result;
}

TEST(PipelineBind, TheResultHoldsTheCharacterAndWhereRowsCameFrom) {
  const Character human = made_human();
  const BindingResult result = bind(human, by_voxels());
  const Rig& rig = result.character.rig;
  ASSERT_EQ(rig.weights.row_count(), rig.mesh.vertex_count());
  EXPECT_EQ(result.vertices.size(), rig.mesh.vertex_count());
  EXPECT_EQ(result.rows.origins.front().method, "voxel");
  EXPECT_GT(result.bound_joint_count(), 10U);
  EXPECT_NE(rig.weights, human.rig.weights);
  EXPECT_EQ(rig.mesh.positions, human.rig.mesh.positions);
  EXPECT_TRUE(validate(result.character).empty());
}

TEST(PipelineBind, ABinderThatAProgramAddsIsOneOfThem) {
  if (binding::binders().ids().back() != "last")
    binding::binders().add(binding::binder_method("last", "last-joint", "For tests.", bind_to_last));
  const Character human = made_human();
  BindRequest request;
  request.method.choose("auto");
  EXPECT_THROW(request.method.choose("first"), Error);
  request.method = MethodChoice(binding::binders(), "last-joint");
  const BindingResult result = bind(human, request);
  EXPECT_EQ(result.rows.origins.front().method, "last");
  EXPECT_EQ(result.doubtful_vertices, human.rig.mesh.vertex_count());
  EXPECT_EQ(result.idle_joints.size() + 1, result.bound_joint_count());
}

TEST(PipelineBind, OptionsAreOneListWithTheMethodsOwnInAGroup) {
  BindRequest request;
  OptionList(request).from_json(
      {{"method", "voxel"}, {"voxel", {{"resolution", 64}, {"steps", "chamfer"}}}, {"max_influences", 3}});
  const auto& voxel = request.method.options().as<binding::VoxelOptions>();
  EXPECT_EQ(voxel.resolution, 64);
  EXPECT_EQ(voxel.steps, binding::VoxelSteps::kChamfer);
  EXPECT_EQ(request.common.max_influences, 3);
  const Json written = OptionList(request).to_json();
  EXPECT_EQ(written["method"], "voxel");
  EXPECT_EQ(written["voxel"]["steps"], "chamfer");
  EXPECT_NE(OptionList(request).find("falloff"), nullptr);
}

TEST(PipelineBind, WhatCannotBeBoundIsRefused) {
  EXPECT_THROW(bind({}), Error);
  Character human = made_human();
  human.rig.skeleton = {};
  EXPECT_THROW(bind(human), Error);
  BindRequest request = by_voxels();
  request.joints = {"Hipps"};
  EXPECT_THROW(bind(made_human(), request), Error);
}

TEST(PipelineBind, SkinOfSpringBonesIsKeptUnlessTheRequestSaysOtherwise) {
  Character human = made_human();
  Rig& rig = human.rig;
  // A ribbon: a chain of two joints far above the head, which lead the rows of a few vertices of a foot, where no
  // method would put them.
  const Index head = rig.skeleton.find("Head");
  ASSERT_NE(head, kNone);
  for (int k = 0; k < 2; ++k) {
    Joint joint = rig.skeleton.joints[head];
    joint.name = k == 0 ? "ribbon_1" : "ribbon_2";
    joint.parent = k == 0 ? head : rig.skeleton.size() - 1;
    joint.rest.translation = Vec3(0, 0.6, 0);
    joint.swings = true;
    joint.mirror = kNone;
    rig.skeleton.joints.push_back(joint);
    if (!rig.skins.empty()) rig.skins[0].joints.push_back(rig.skeleton.size() - 1);
    if (!rig.skins.empty()) rig.skins[0].inverse_bind.push_back(rest_matrices(rig.skeleton).back().inverse());
  }
  const Index ribbon = rig.skeleton.size() - 1;
  SkinWeights painted;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (v % 100 == 0) painted.add_row({{ribbon, 0.6F}, {head, 0.4F}});
    else painted.add_row(rig.weights.row(v));
  }
  rig.weights = painted;
  const BindingResult kept = bind(human, by_voxels());
  EXPECT_EQ(kept.spring_vertices, (rig.mesh.vertex_count() + 99) / 100);
  EXPECT_TRUE(std::none_of(kept.lost_skin.begin(), kept.lost_skin.end(), [&](Index j) { return j == ribbon; }));
  for (Index v = 0; v < rig.mesh.vertex_count(); v += 100) {
    ASSERT_EQ(kept.character.rig.weights.row(v).size(), 2U);
    EXPECT_EQ(kept.character.rig.weights.row(v)[0], (Influence{ribbon, 0.6F}));
  }
  BindRequest all = by_voxels();
  all.keep_springs = false;
  const BindingResult lost = bind(human, all);
  EXPECT_EQ(lost.spring_vertices, 0U);
  EXPECT_TRUE(std::any_of(lost.lost_skin.begin(), lost.lost_skin.end(), [&](Index j) { return j == ribbon; }));
}

}  // namespace
}  // namespace sinew::pipeline
