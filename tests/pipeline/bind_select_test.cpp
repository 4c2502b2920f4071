// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_select.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sinew/core/error.h"

namespace sinew::pipeline {
namespace {

/// Two parts of two triangles each: "body", its triangles apart and of two materials, and "hat", a quad in two halves.
Character two_parts() {
  Character character;
  Rig& rig = character.rig;
  for (const char* name : {"hips", "head"}) {
    Joint joint;
    joint.name = name;
    joint.parent = rig.skeleton.empty() ? kNone : 0;
    rig.skeleton.joints.push_back(joint);
  }
  for (int v = 0; v < 10; ++v) rig.mesh.positions.emplace_back(v, v * v, 0);
  const std::vector<std::array<Index, 3>> faces = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {6, 8, 9}};
  for (const std::array<Index, 3>& face : faces) rig.mesh.add_face(face);
  rig.mesh.face_materials = {0, 1, 1, 1};
  for (const char* name : {"skin", "cloth"}) {
    Material material;
    material.name = name;
    character.materials.push_back(material);
  }
  MeshPart body, hat;
  body.name = "body", body.vertex_count = 6, body.face_count = 2, body.skin = 0;
  hat.name = "hat", hat.first_vertex = 6, hat.vertex_count = 4, hat.first_face = 2, hat.face_count = 2, hat.joint = 1;
  body.morphs = {{"wide", std::vector<Vec3f>(6, Vec3f::Ones())}};
  body.morph_weights = {0};
  rig.mesh.parts = {body, hat};
  rig.skins = {{"skin", {0, 1}, {Mat4::Identity(), Mat4::Identity()}}};
  for (int v = 0; v < 6; ++v) rig.weights.add_row({{0, 1.0F}});
  for (int v = 6; v < 10; ++v) rig.weights.add_row({{1, 1.0F}});
  return character;
}

std::vector<Index> chosen(const Character& character, const std::string& word) {
  const std::vector<char> marks = vertices_of_word(character, word);
  std::vector<Index> list;
  for (Index v = 0; v < marks.size(); ++v)
    if (marks[v] != 0) list.push_back(v);
  return list;
}

template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(BindSelect, WordsMeanNodesMaterialsAndShells) {
  const Character character = two_parts();
  EXPECT_EQ(chosen(character, "hat"), (std::vector<Index>{6, 7, 8, 9}));
  EXPECT_EQ(chosen(character, "material:skin"), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(chosen(character, "shell:1"), (std::vector<Index>{3, 4, 5}));
  EXPECT_EQ(chosen(character, "shell:2"), (std::vector<Index>{6, 7, 8, 9}));
}

TEST(BindSelect, WhatIsNotThereIsRefusedWithTheNearest) {
  const Character character = two_parts();
  const auto refused = [&](const std::string& word) { return refusal_of([&] { vertices_of_word(character, word); }); };
  EXPECT_NE(refused("bodi").find("Did you mean 'body'?"), std::string::npos);
  EXPECT_NE(refused("material:clot").find("Did you mean 'cloth'?"), std::string::npos);
  EXPECT_NE(refused("shell:3").find("0 to 2"), std::string::npos);
  EXPECT_NE(refused("shell:-1").find("no shell '-1'"), std::string::npos);
  EXPECT_NE(refusal_of([&] { select_vertices(character, {"hat=heed"}, {}); }).find("Did you mean 'head'?"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { select_vertices(character, {"hat="}, {}); }).find("NODE=JOINT"), std::string::npos);
  EXPECT_NE(refusal_of([&] {
              select_vertices(character, {"hat=head"}, {"material:cloth"});
            }).find("Select them with only one"),
            std::string::npos);
}

TEST(BindSelect, OnlyWhatIsNeitherExcludedNorHungIsLeftToTheMethod) {
  const Character character = two_parts();
  const Rig& rig = character.rig;
  std::vector<PartPlan> plan = plan_parts(rig, {1, 1});
  ASSERT_EQ(plan[1].treatment, PartTreatment::kKeep);
  VertexSelection selection = select_vertices(character, {"hat=hips"}, {"shell:0"});
  EXPECT_EQ(selection.rigid_count(), 4U);
  EXPECT_EQ(selection.excluded_count(), 3U);
  const std::vector<char> left_out = apply_selection(rig, selection, plan);
  EXPECT_EQ(plan[1].treatment, PartTreatment::kBind) << "it hung on the head and shall hang on the hips";
  const ChosenParts rest = chosen_parts(rig.mesh, plan, left_out);
  EXPECT_EQ(rest.vertices, (std::vector<Index>{3, 4, 5}));
  EXPECT_EQ(rest.mesh.face_count(), 1U);
  EXPECT_TRUE(validate(rest.mesh).empty());
}

TEST(BindSelect, APartOfWhichAllIsExcludedIsKept) {
  const Character character = two_parts();
  std::vector<PartPlan> plan(2);
  VertexSelection selection = select_vertices(character, {}, {"body"});
  apply_selection(character.rig, selection, plan);
  EXPECT_EQ(plan[0].treatment, PartTreatment::kKeep);
  EXPECT_EQ(plan[0].reason, "excluded");
}

TEST(BindSelect, ExcludedVerticesWithoutWeightsInAPartThatGetsASkinAreRefused) {
  Character character = two_parts();
  character.rig.mesh.parts[0].skin = kNone;
  character.rig.weights = {};
  std::vector<PartPlan> plan(2);
  VertexSelection selection = select_vertices(character, {}, {"shell:0"});
  EXPECT_NE(refusal_of([&] { apply_selection(character.rig, selection, plan); }).find("'body'"), std::string::npos);
}

}  // namespace
}  // namespace sinew::pipeline
