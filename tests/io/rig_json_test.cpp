// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/rig_json.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/io/text/obj_reader.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

using test::bytes_of;

RigFile parse_rig(std::string_view text) { return read_rig_json(as_bytes(text), "x.rig.json"); }

std::string rig_error(std::string_view text) {
  try {
    parse_rig(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string rig_text(const std::string& rest) { return R"({"schema": "sinew.rig/1", )" + rest + "}"; }

MeshPart part(const std::string& name, Index first, Index count) {
  MeshPart result;
  result.name = name;
  result.first_vertex = first;
  result.vertex_count = count;
  return result;
}

// Two joints of one name, a rigid mesh, two skinned meshes of one name, and numbers that no short decimal hits.
Character made_character() {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Character character;
  character.name = "made \"by\" hand";
  Rig& rig = character.rig;
  for (Index j = 0; j < 5; ++j) {
    Joint joint;
    joint.name = j == 2 || j == 3 ? "hand" : "joint" + std::to_string(j);
    joint.parent = j == 0 ? kNone : j == 3 ? 1 : j - 1;
    joint.rest.translation = Vec3(uniform(rng), uniform(rng), uniform(rng));
    joint.rest.rotation = Quat(uniform(rng), uniform(rng), uniform(rng), uniform(rng)).normalized();
    joint.rest.scale = Vec3(1, 1, 1 + 0.1 * uniform(rng));
    joint.deforming = j > 0;
    rig.skeleton.joints.push_back(joint);
  }
  rig.skeleton.joints[1].shear(0, 1) = 0.1;
  rig.skeleton.joints[1].role = "helper";
  rig.skeleton.joints[2].mirror = 3;
  rig.skeleton.joints[3].mirror = 2;
  rig.skeleton.joints[4].end_local = Vec3(0, 0.1, 0);
  rig.skeleton.joints[4].limits = RotationLimits{Vec3(-1, -2, -3), Vec3(1, 2, 3)};
  Driver driver;
  driver.kind = Driver::Kind::kDrivenKeys;
  driver.source = 1;
  driver.keys = {{0, 0}, {1, 0.1}};
  driver.coefficients = {{1, 2}, {3}};
  rig.skeleton.joints[1].driver = driver;
  for (int s = 0; s < 2; ++s) {
    Skin skin;
    skin.name = "skin" + std::to_string(s);
    skin.joints = {4, 1, 2, 3};
    for (int k = 0; k < 4; ++k) {
      Mat4 bind = Mat4::Identity();
      for (int i = 0; i < 12; ++i) bind(i % 3, i / 3) = uniform(rng);
      skin.inverse_bind.push_back(bind);
    }
    rig.skins.push_back(skin);
  }
  rig.mesh.positions.assign(30, Vec3::Zero());
  rig.mesh.parts = {part("body", 0, 12), part("hat", 12, 8), part("body", 20, 10)};
  rig.mesh.parts[0].skin = 0;
  rig.mesh.parts[1].joint = 4;
  rig.mesh.parts[1].to_model = rest_matrices(rig.skeleton)[4];
  rig.mesh.parts[2].skin = 1;
  std::uniform_real_distribution<float> share(0, 1);
  for (Index v = 0; v < 30; ++v) {
    if (v >= 12 && v < 20) rig.weights.add_row({{4, 1.0F}});
    else if (v == 5) rig.weights.add_row(std::initializer_list<Influence>{});
    else rig.weights.add_row({{1, share(rng)}, {2, share(rng) * 1e-6F}, {3, share(rng)}, {4, 1e-20F}});
  }
  return character;
}

void expect_same_rig(const Rig& a, const Rig& b) {
  ASSERT_EQ(a.skeleton.size(), b.skeleton.size());
  for (Index j = 0; j < a.skeleton.size(); ++j) {
    const Joint &x = a.skeleton.joints[j], &y = b.skeleton.joints[j];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_TRUE(x.rest == y.rest) << j;
    EXPECT_EQ(x.shear, y.shear);
    EXPECT_EQ(x.deforming, y.deforming);
    EXPECT_EQ(x.role, y.role);
    EXPECT_EQ(x.mirror, y.mirror);
    EXPECT_EQ(x.end_local, y.end_local);
    EXPECT_EQ(x.limits.has_value(), y.limits.has_value());
    EXPECT_EQ(x.driver.has_value(), y.driver.has_value());
  }
  ASSERT_EQ(a.skins.size(), b.skins.size());
  for (std::size_t s = 0; s < a.skins.size(); ++s) {
    EXPECT_EQ(a.skins[s].name, b.skins[s].name);
    EXPECT_EQ(a.skins[s].joints, b.skins[s].joints);
    EXPECT_EQ(a.skins[s].inverse_bind, b.skins[s].inverse_bind);
  }
  EXPECT_TRUE(a.weights == b.weights);
  for (std::size_t p = 0; p < a.mesh.parts.size(); ++p) {
    EXPECT_EQ(a.mesh.parts[p].skin, b.mesh.parts[p].skin);
    EXPECT_EQ(a.mesh.parts[p].joint, b.mesh.parts[p].joint);
    EXPECT_EQ(a.mesh.parts[p].to_model, b.mesh.parts[p].to_model);
  }
}

TEST(RigJson, PutBackOnItsMeshTheRigIsTheSameToTheLastBit) {
  const Character character = made_character();
  const RigFile rig = parse_rig(write_rig_json(character));
  Asset bare;
  bare.path = "bare.obj";
  bare.character.rig.mesh = character.rig.mesh;
  for (MeshPart& p : bare.character.rig.mesh.parts) {
    p.skin = p.joint = kNone;
    p.to_model = Mat4::Identity();
  }
  apply_rig(bare, rig);
  expect_same_rig(bare.character.rig, character.rig);
  EXPECT_TRUE(bare.warnings.empty());
  EXPECT_TRUE(validate(bare.character).empty());
  const Joint& driven = rig.skeleton.joints[1];
  EXPECT_EQ(driven.driver->kind, Driver::Kind::kDrivenKeys);
  EXPECT_EQ(driven.driver->keys, (std::vector<std::pair<double, double>>{{0, 0}, {1, 0.1}}));
  EXPECT_EQ(driven.driver->coefficients, (std::vector<std::vector<double>>{{1, 2}, {3}}));
  EXPECT_EQ(rig.skeleton.joints[4].limits->upper_rad, Vec3(1, 2, 3));
  bare.character.name = character.name;
  EXPECT_EQ(write_rig_json(bare.character), write_rig_json(character));
}

TEST(RigJson, JointsMayComeInAnyOrderAndBeCalledByName) {
  const RigFile rig = parse_rig(rig_text(
      R"("joints": [{"name": "hand", "parent": "arm", "mirror": "root"}, {"name": "arm", "parent": 3}, {"name": "other"}, {"name": "root", "parent": null}],
         "skins": [{"name": "s", "joints": ["hand", 3]}],
         "meshes": [{"name": "m", "vertices": 2, "skin": "s", "weights": {"vertex": [1, 0, 1], "joint": ["hand", "root", 3], "weight": [0.25, 1, 0.75]}}])"));
  std::vector<std::string> names;
  for (const Joint& joint : rig.skeleton.joints) names.push_back(joint.name);
  EXPECT_EQ(names, (std::vector<std::string>{"other", "root", "arm", "hand"}));
  EXPECT_EQ(rig.skeleton.joints[3].parent, 2U);
  EXPECT_EQ(rig.skeleton.joints[1].mirror, 3U);
  EXPECT_EQ(rig.skins[0].joints, (std::vector<Index>{3, 1}));
  EXPECT_EQ(rig.skins[0].inverse_bind[0], Mat4::Identity());
  EXPECT_EQ(rig.meshes[0].weights[0].influence.joint, 1U);
  EXPECT_EQ(rig.meshes[0].weights[1].vertex, 1U);
  EXPECT_TRUE(validate(rig.skeleton).empty());
}

TEST(RigJson, WithoutSkinsTheJointsWithWeightsAreBoundWhereTheyRest) {
  const RigFile rig = parse_rig(rig_text(
      R"("joints": [{"name": "a", "translation": [0, 2, 0]}, {"name": "b", "parent": 0}],
         "meshes": [{"name": "m", "vertices": 1, "weights": {"vertex": [0], "joint": [1], "weight": [1]}}])"));
  ASSERT_EQ(rig.skins.size(), 1U);
  EXPECT_EQ(rig.skins[0].joints, (std::vector<Index>{1}));
  EXPECT_EQ(rig.skins[0].inverse_bind[0](1, 3), -2);
  EXPECT_TRUE(rig.skeleton.joints[1].deforming);
  EXPECT_FALSE(rig.skeleton.joints[0].deforming);
}

TEST(RigJson, MeshesMustHaveTheVerticesTheRigSays) {
  Asset asset = read_obj("cube.obj", bytes_of("o Cube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), {});
  const auto rig = [](const std::string& meshes) {
    return parse_rig(rig_text(R"("joints": [{"name": "a"}], "meshes": [)" + meshes + "]"));
  };
  try {
    apply_rig(asset, rig(R"({"name": "Body", "vertices": 4, "joint": 0})"));
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'Body' with 4 vertices"), std::string::npos) << text;
    EXPECT_NE(text.find("'Cube' has 3"), std::string::npos) << text;
  }
  EXPECT_TRUE(asset.character.rig.skeleton.empty());
  EXPECT_THROW(apply_rig(asset, rig(R"({"name": "A", "vertices": 3}, {"name": "B", "vertices": 3})")), Error);
  apply_rig(asset, rig(R"({"name": "Hat", "vertices": 9}, {"name": "Cube", "vertices": 3, "joint": 0})"));
  ASSERT_EQ(asset.warnings.size(), 1U);
  EXPECT_EQ(asset.warnings[0].code, "rig.unmatched_mesh");
  EXPECT_EQ(asset.warnings[0].where, "Hat");
  EXPECT_EQ(asset.character.rig.weights.row(2)[0], (Influence{0, 1.0F}));
  EXPECT_TRUE(validate(asset.character).empty());
}

TEST(RigJson, TracksFollowTheirJointsByName) {
  Asset asset;
  asset.character = made_character();
  Clip clip;
  clip.tracks.resize(3);
  clip.tracks[0].target = 3;  // The second joint called "hand".
  clip.tracks[1].target = 0;
  clip.tracks[2].path = Track::Path::kMorphWeights;
  clip.tracks[2].target = 1;
  asset.character.clips = {clip};
  asset.character.rig.mesh = {};
  apply_rig(asset, parse_rig(rig_text(R"("joints": [{"name": "x"}, {"name": "hand"}, {"name": "hand"}])")));
  ASSERT_EQ(asset.character.clips[0].tracks.size(), 2U);
  EXPECT_EQ(asset.character.clips[0].tracks[0].target, 2U);
  EXPECT_EQ(asset.character.clips[0].tracks[1].target, 1U);
  ASSERT_EQ(asset.warnings.size(), 1U);
  EXPECT_EQ(asset.warnings[0].code, "rig.dropped_tracks");
}

TEST(RigJson, WhatDoesNotFitIsASentenceWithItsPlace) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const std::string error = rig_error(text);
    EXPECT_NE(error.find(part), std::string::npos) << text << "\n" << error;
    EXPECT_EQ(error.find("x.rig.json"), 0U);
  };
  const std::string joints = R"("joints": [{"name": "a"}, {"name": "b", "parent": 0}, {"name": "b", "parent": 0}], )";
  const std::string skins = R"("skins": [{"name": "s", "joints": [1]}], )";
  const auto mesh = [&](const std::string& text) {
    return rig_text(joints + skins + R"("meshes": [{"name": "m", )" + text + "}]");
  };
  expect("{", "is not a JSON file");
  expect("[1]", "the file: it should be a JSON object");
  expect("{}", "not a Sinew rig");
  expect(R"({"schema": "sinew.rig/9"})", "sinew.rig/9");
  expect(rig_text(R"("unit": "cm", "joints": [])"), "does not have +y up and metres");
  expect(rig_text(R"("name": "x")"), "'joints' is missing");
  expect(rig_text(R"("joints": [{"name": "a", "parent": 1}, {"name": "b", "parent": "a"}])"),
         "joint 0 'a': its parents form a cycle");
  expect(rig_text(R"("joints": [{"name": "a", "parent": 0}])"), "cycle");
  expect(rig_text(R"("joints": [{"name": "a", "parent": "z"}])"), "there is no joint 'z'");
  expect(rig_text(R"("joints": [{"name": "a", "parent": 7}])"), "there is no joint 7; the file has 1");
  expect(rig_text(R"("joints": [{"name": "a", "parent": -1}])"), "whole number of at least 0");
  expect(rig_text(R"("joints": [{"name": "a", "translation": [0, null, 0]}])"),
         "'translation' contains a value that is not a number");
  expect(rig_text(R"("joints": [{"name": "a", "translation": [0, 0]}])"), "a list of 3 numbers");
  expect(rig_text(R"("joints": [{"name": "a", "translation": [0, 0, 1e999]}])"), "JSON");
  expect(rig_text(R"("joints": [{"name": "a", "rotation": [0, 0, 0, 0]}])"), "quaternion");
  expect(rig_text(R"("joints": [{"name": "a", "mirror": 1}, {"name": "b", "mirror": 2}, {"name": "c"}])"), "partner");
  expect(rig_text(joints + R"("skins": [{"name": "s", "joints": ["b"]}])"), "several joints called 'b'");
  expect(rig_text(joints + R"("skins": [{"name": "s", "joints": [1], "inverse_bind": []}])"),
         "1 joints and 0 matrices");
  expect(mesh(R"("skin": 0)"), "'vertices' is missing");
  expect(mesh(R"("vertices": 2, "skin": 4)"), "there is no skin 4");
  expect(mesh(R"("vertices": 2, "skin": 0)"), "it has a 'skin' but no 'weights'");
  expect(mesh(R"("vertices": 2, "skin": 0, "joint": 0)"), "both a 'skin' and a 'joint'");
  expect(mesh(R"("vertices": 2, "to_model": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1])"), "cannot be inverted");
  expect(mesh(R"("vertices": 2, "weights": {"vertex": [0], "joint": [1], "weight": []})"), "1, 1 and 0 entries");
  expect(mesh(R"("vertices": 2, "weights": {"vertex": [2], "joint": [1], "weight": [1]})"),
         "vertex 2, but the mesh has 2");
  expect(mesh(R"("vertices": 2, "weights": {"vertex": [0], "joint": [1], "weight": [-1]})"),
         "is negative or not finite");
  expect(mesh(R"("vertices": 2, "weights": {"vertex": [0], "joint": [2], "weight": [1]})"),
         "which its skin does not list");
}

TEST(RigJson, ReadAloneItIsASkeletonAndIsWrittenAsItWas) {
  const std::string text = write_rig_json(made_character()) + "\n";
  const Asset asset = read_rig("made.rig.json", bytes_of(text), {});
  EXPECT_EQ(asset.character.rig.skeleton.size(), 5U);
  EXPECT_TRUE(asset.character.rig.mesh.positions.empty());
  EXPECT_TRUE(validate(asset.character).empty());
  EXPECT_EQ(asset.contents["meshes"][2]["vertices"], 10);
  const auto* document = dynamic_cast<const RigDocument*>(asset.document.get());
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(as_text(document->bytes), text);
  Asset bare;
  AtomicFiles files;
  Report report;
  EXPECT_THROW(write_rig(bare, "never.rig.json", {}, files, report), Error);
}

TEST(RigJson, CountsThatLieTakeNoMemory) {
  const RigFile rig = parse_rig(
      rig_text(R"("joints": [{"name": "a"}], "meshes": [{"name": "m", "vertices": 4294967294, "joint": 0}])"));
  EXPECT_EQ(rig.meshes[0].vertex_count, 4294967294U);
  EXPECT_NE(rig_error(rig_text(R"("joints": [], "meshes": [{"name": "m", "vertices": 4294967295}])")).find("too many"),
            std::string::npos);
}

}  // namespace
}  // namespace sinew::io
