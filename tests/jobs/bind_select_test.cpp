// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/bind_select.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/io/gltf/container.h"
#include "sinew/jobs/bind.h"
#include "sinew/jobs/bind_colors.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
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
  const std::vector<char> marks = select_vertices(character, word);
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
  const auto refused = [&](const std::string& word) { return refusal_of([&] { select_vertices(character, word); }); };
  EXPECT_NE(refused("bodi").find("Did you mean 'body'?"), std::string::npos);
  EXPECT_NE(refused("material:clot").find("Did you mean 'cloth'?"), std::string::npos);
  EXPECT_NE(refused("shell:3").find("0 to 2"), std::string::npos);
  EXPECT_NE(refused("shell:-1").find("no shell '-1'"), std::string::npos);
  EXPECT_NE(refusal_of([&] { read_wishes(character, {"hat=heed"}, {}); }).find("Did you mean 'head'?"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { read_wishes(character, {"hat="}, {}); }).find("NODE=JOINT"), std::string::npos);
  EXPECT_NE(refusal_of([&] { read_wishes(character, {"hat=head"}, {"material:cloth"}); }).find("Name them in one"),
            std::string::npos);
}

TEST(BindSelect, OnlyWhatIsNeitherExcludedNorHungIsLeftToTheMethod) {
  const Character character = two_parts();
  const Rig& rig = character.rig;
  std::vector<PartPlan> plan = plan_parts(rig, {1, 1});
  ASSERT_EQ(plan[1].treatment, PartTreatment::kKeep);
  Wishes wishes = read_wishes(character, {"hat=hips"}, {"shell:0"});
  EXPECT_EQ(wishes.rigid_count(), 4U);
  EXPECT_EQ(wishes.excluded_count(), 3U);
  const std::vector<char> left_out = heed_wishes(rig, wishes, plan);
  EXPECT_EQ(plan[1].treatment, PartTreatment::kBind) << "it hung on the head and shall hang on the hips";
  const ChosenParts rest = chosen_parts(rig.mesh, plan, left_out);
  EXPECT_EQ(rest.vertices, (std::vector<Index>{3, 4, 5}));
  EXPECT_EQ(rest.mesh.face_count(), 1U);
  EXPECT_TRUE(validate(rest.mesh).empty());
}

TEST(BindSelect, APartOfWhichAllIsExcludedIsKept) {
  const Character character = two_parts();
  std::vector<PartPlan> plan(2);
  Wishes wishes = read_wishes(character, {}, {"body"});
  heed_wishes(character.rig, wishes, plan);
  EXPECT_EQ(plan[0].treatment, PartTreatment::kKeep);
  EXPECT_EQ(plan[0].reason, "excluded");
}

TEST(BindSelect, ExcludedVerticesWithoutWeightsInAPartThatGetsASkinAreRefused) {
  Character character = two_parts();
  character.rig.mesh.parts[0].skin = kNone;
  character.rig.weights = {};
  std::vector<PartPlan> plan(2);
  Wishes wishes = read_wishes(character, {}, {"shell:0"});
  EXPECT_NE(refusal_of([&] { heed_wishes(character.rig, wishes, plan); }).find("'body'"), std::string::npos);
}

TEST(BindColors, TellTheOriginAndDarkenWithDoubt) {
  binding::BindResult bound;
  bound.origin = {0, 1, 1};
  bound.confidence = {1, 1, 0};
  const std::vector<Vec4f> colors = debug_colors(bound, {2, 0, 1}, 4);
  ASSERT_EQ(colors.size(), 4U);
  EXPECT_NE(colors[2], colors[0]);
  EXPECT_LT(colors[1].head<3>().sum(), 0.2F * colors[0].head<3>().sum());
  EXPECT_EQ(colors[3][0], colors[3][1]) << "not bound: grey";
  EXPECT_STRNE(debug_color_name(0), debug_color_name(1));
}

// The fixture with its nodes as `change` leaves them.
template <class Change>
void write_changed(const std::filesystem::path& path, Change&& change) {
  const io::Bytes glb = test::make_fixture();
  const io::gltf::Container container = io::gltf::parse_container(glb);
  Json json = container.json;
  change(json);
  test::write(path, io::gltf::make_glb(json, true, container.bin, {}));
}

TEST(BindInstances, NodesThatShareAMeshAreBoundEachByItself) {
  const test::TemporaryFolder folder;
  write_changed(folder / "in.glb", [](Json& json) {
    json["nodes"].push_back({{"name", "twin"}, {"mesh", 0}, {"skin", 0}});
    json["scenes"][0]["nodes"].push_back(4);
  });
  BindJobOptions options;
  options.rigid = {"twin=knee"};
  options.debug_colors = true;
  bind({{folder / "in.glb"}, folder / "out.glb", false}, options, {});
  const io::Asset out = io::load(folder / "out.glb");
  const Rig& rig = out.character.rig;
  ASSERT_EQ(rig.mesh.parts.size(), 3U);
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.name == "box") continue;
    Index on_knee = 0;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      const auto row = rig.weights.row(v);
      on_knee += row.size() == 1 && rig.skeleton.joints[row[0].joint].name == "knee" ? 1 : 0;
    }
    if (part.name == "twin") EXPECT_EQ(on_knee, part.vertex_count);
    else EXPECT_LT(on_knee, part.vertex_count);
  }
  EXPECT_EQ(rig.mesh.colors.size(), rig.mesh.positions.size());
  EXPECT_EQ(out.contents["meshes"], 3);
}

TEST(BindInstances, TheScaleOfANodeGoesIntoTheBindMatrices) {
  const test::TemporaryFolder folder;
  // The tube twice, without a skin, as nodes of other sizes and places; joints remain.
  write_changed(folder / "in.glb", [](Json& json) {
    json["nodes"][2] = {{"name", "tall"}, {"mesh", 0}, {"scale", {1, 2, 1}}};
    json["nodes"].push_back({{"name", "wide"}, {"mesh", 0}, {"scale", {3, 1, 3}}, {"translation", {2, 0, 0}}});
    json["nodes"].push_back({{"name", "core"}, {"mesh", 1}, {"skin", 0}});
    json["scenes"][0]["nodes"] = {0, 2, 4};
    json.erase("animations");
  });
  BindJobOptions options;
  options.joints = {"hip", "knee"};
  const Report report = bind({{folder / "in.glb"}, folder / "out.glb", false}, options, {});
  EXPECT_EQ(report.metrics["skins"]["newly_skinned_parts"], 2);
  const Rig before = io::load(folder / "in.glb").character.rig, after = io::load(folder / "out.glb").character.rig;
  ASSERT_EQ(after.mesh.positions.size(), before.mesh.positions.size());
  // At rest, which is how the joints stand at binding, every vertex is where it was.
  const std::vector<Mat4> rest = rest_matrices(after.skeleton);
  for (Index p = 0; p < after.mesh.parts.size(); ++p) {
    const MeshPart& part = after.mesh.parts[p];
    if (part.skin == kNone) continue;
    const std::vector<Mat4> inverse = inverse_bind_of_part(after, p);
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      Vec3 moved = Vec3::Zero();
      for (const Influence& i : after.weights.row(v))
        moved +=
            static_cast<double>(i.weight) * transform_point(rest[i.joint] * inverse[i.joint], after.mesh.positions[v]);
      ASSERT_LT((moved - before.mesh.positions[v]).norm(), 1e-5) << part.name << " " << v;
    }
  }
}

}  // namespace
}  // namespace sinew::jobs
