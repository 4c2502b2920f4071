// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>

#include "sinew/core/json.h"
#include "sinew/io/asset.h"
#include "sinew/io/gltf/document.h"
#include "sinew/io/rig_json.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

// Unknown drivers are the same object, whatever the order of its members.
bool same_json(const std::string& a, const std::string& b) {
  return a == b || nlohmann::json::parse(a) == nlohmann::json::parse(b);
}

bool same_driver(const Driver& a, const Driver& b) {
  return a.kind == b.kind && a.source == b.source && a.axis == b.axis && a.share == b.share && a.weight == b.weight &&
         a.coefficients == b.coefficients && a.keys == b.keys && a.before.coeffs() == b.before.coeffs() &&
         same_json(a.opaque, b.opaque);
}

constexpr const char* kSpring = R"({"kind":"spring","stiffness":0.1,"also":[1,{"deep":null}],"source":"nobody"})";

// One driver of each kind, all of joint `source` but the unknown one.
std::vector<Driver> one_of_each(Index source) {
  std::vector<Driver> drivers(6);
  for (std::size_t k = 0; k < 5; ++k) {
    drivers[k].kind = static_cast<Driver::Kind>(k);
    drivers[k].source = source;
    drivers[k].axis = Vec3(0.1 * static_cast<double>(k), 1, 0.3).normalized();
  }
  drivers[0].share = 1.0 / 3;
  drivers[1].weight = 1.0 / 7;
  drivers[2].coefficients = {{0.1, 0.2, 0.3, 0.4}, {}, {1.0 / 7}, {}, {}, {2e-9}, {}, {0.7}, {1.0 / 9}};
  drivers[2].before = Quat(0.3, -0.1, 1.0 / 3, 0.7).normalized();
  drivers[3].keys = {{-1, 0.1}, {0.25, 1.0 / 3}};
  drivers[3].before = Quat(-0.3, 0.1, 0.2, 0.9).normalized();
  drivers[4].share = -2.0 / 3;
  drivers[5].kind = Driver::Kind::kOpaque;
  drivers[5].opaque = kSpring;
  return drivers;
}

Asset fixture() {
  const std::string text = test::make_text_fixture();
  const auto bytes = as_bytes(text);
  return load_bytes("x.gltf", Bytes(bytes.begin(), bytes.end()));
}

// The fixture with a new helper joint for each driver under the last joint.
Asset with_helpers() {
  Asset asset = fixture();
  Skeleton& skeleton = asset.character.rig.skeleton;
  const Index parent = skeleton.size() - 1;
  for (const Driver& driver : one_of_each(0)) {
    Joint joint;
    joint.name = "helper" + std::to_string(static_cast<int>(driver.kind));
    joint.parent = parent;
    joint.driver = driver;
    skeleton.joints.push_back(joint);
  }
  for (Driver* driver : {&*skeleton.joints[parent + 2].driver}) driver->source = parent;
  return asset;
}

Asset saved_and_loaded(const Asset& asset, const std::filesystem::path& path) {
  SaveOptions options;
  options.changes.skeleton = true;
  Report report;
  save(asset, path, options, report);
  return load(path);
}

const Json& document_of(const Asset& asset) { return dynamic_cast<const gltf::GltfDocument&>(*asset.document).json(); }

void expect_same_drivers(const Skeleton& a, const Skeleton& b) {
  int count = 0;
  for (const Joint& joint : a.joints) {
    if (!joint.driver) continue;
    ++count;
    const Index j = b.find(joint.name);
    ASSERT_NE(j, kNone) << joint.name;
    ASSERT_TRUE(b.joints[j].driver) << joint.name;
    Driver other = *b.joints[j].driver;
    if (joint.driver->source == kNone) {
      EXPECT_EQ(other.source, kNone);
    } else {
      EXPECT_EQ(a.joints[joint.driver->source].name, b.joints[other.source].name);
      other.source = joint.driver->source;
    }
    EXPECT_TRUE(same_driver(*joint.driver, other)) << joint.name;
  }
  EXPECT_EQ(count, 6);
}

TEST(DriverFiles, GltfGivesBackEveryKindToTheLastBit) {
  const test::TemporaryFolder folder;
  const Asset asset = with_helpers();
  for (const char* name : {"a.glb", "a.gltf"}) {
    const Asset again = saved_and_loaded(asset, folder / name);
    expect_same_drivers(asset.character.rig.skeleton, again.character.rig.skeleton);
    EXPECT_EQ(again.character.rig.skeleton.joints[again.character.rig.skeleton.find("helper1")].role, "helper");
    // And once more from the file's own document.
    expect_same_drivers(asset.character.rig.skeleton,
                        saved_and_loaded(again, folder / (std::string("b_") + name)).character.rig.skeleton);
  }
}

TEST(DriverFiles, RigJsonGivesBackEveryKind) {
  const Asset asset = with_helpers();
  const RigFile rig = read_rig_json(as_bytes(write_rig_json(asset.character)), "x.rig.json");
  expect_same_drivers(asset.character.rig.skeleton, rig.skeleton);
}

TEST(DriverFiles, OtherExtrasStayAndARemovedDriverLeavesNoTrace) {
  const test::TemporaryFolder folder;
  Json json = Json::parse(test::make_text_fixture());
  Asset plain = fixture();
  const Index last = plain.character.rig.skeleton.size() - 1;
  const Index node = plain.character.rig.skeleton.joints[last].source;
  json["nodes"][node]["extras"] = {{"color", "red"}, {"sinew", {{"note", 7}}}};
  const std::string text = json.dump();
  Asset asset = load_bytes("x.gltf", Bytes(as_bytes(text).begin(), as_bytes(text).end()));
  Driver driver;
  driver.source = 0;
  asset.character.rig.skeleton.joints[last].driver = driver;
  Asset with = saved_and_loaded(asset, folder / "with.gltf");
  const Json extras = document_of(with)["nodes"][node]["extras"];
  EXPECT_EQ(extras["color"], "red");
  EXPECT_EQ(extras["sinew"]["note"], 7);
  EXPECT_EQ(extras["sinew"]["driver"]["kind"], "twist_share");
  EXPECT_EQ(extras["sinew"]["driver"]["source"], with.character.rig.skeleton.joints[0].name);
  with.character.rig.skeleton.joints[last].driver.reset();
  const Asset without = saved_and_loaded(with, folder / "without.gltf");
  EXPECT_EQ(document_of(without)["nodes"][node]["extras"], json["nodes"][node]["extras"]);
}

TEST(DriverFiles, WhatDoesNotFitIsLeftOutWithAFinding) {
  const Index node = fixture().character.rig.skeleton.joints.back().source;
  for (const char* bad :
       {R"(3)", R"({"kind": 3, "source": 0})", R"({"kind": "aim"})", R"({"kind": "aim", "source": "nobody"})",
        R"({"kind": "aim", "source": 99999})", R"({"kind": "aim", "source": 0, "axis": [0, 0, 0]})",
        R"({"kind": "aim", "source": 0, "weight": 2})",
        R"({"kind": "polynomial", "source": 0, "before": [0, 0, 0, 0]})",
        R"({"kind": "polynomial", "source": 0, "before": [0, 0, 1]})", R"({"kind": "twist_share", "source": -1})",
        R"({"kind": "driven_keys", "source": "nobody", "keys": 3})"}) {
    Json json = Json::parse(test::make_text_fixture());
    json["nodes"][node]["extras"]["sinew"]["driver"] = Json::parse(bad);
    const std::string text = json.dump();
    const Asset asset = load_bytes("x.gltf", Bytes(as_bytes(text).begin(), as_bytes(text).end()));
    EXPECT_FALSE(asset.character.rig.skeleton.joints.back().driver) << bad;
    const bool told = std::any_of(asset.warnings.begin(), asset.warnings.end(),
                                  [](const Finding& finding) { return finding.code == "gltf.driver"; });
    EXPECT_TRUE(told) << bad;
  }
}

TEST(DriverFiles, AnUnknownKindIsCarriedAlongWithAFinding) {
  const test::TemporaryFolder folder;
  const Asset plain = fixture();
  const Index last = plain.character.rig.skeleton.size() - 1;
  const Index node = plain.character.rig.skeleton.joints[last].source;
  Json json = Json::parse(test::make_text_fixture());
  json["nodes"][node]["extras"]["sinew"]["driver"] = Json::parse(kSpring);
  const std::string text = json.dump();
  const Asset asset = load_bytes("x.gltf", Bytes(as_bytes(text).begin(), as_bytes(text).end()));
  const std::optional<Driver>& driver = asset.character.rig.skeleton.joints[last].driver;
  ASSERT_TRUE(driver);
  EXPECT_EQ(driver->kind, Driver::Kind::kOpaque);
  EXPECT_EQ(driver->opaque, kSpring);
  const auto told = std::find_if(asset.warnings.begin(), asset.warnings.end(),
                                 [](const Finding& finding) { return finding.code == "gltf.driver"; });
  ASSERT_NE(told, asset.warnings.end());
  EXPECT_NE(told->text.find("kept but not evaluated"), std::string::npos);
  const Asset again = saved_and_loaded(asset, folder / "again.glb");
  EXPECT_EQ(document_of(again)["nodes"][node]["extras"]["sinew"]["driver"].dump(), kSpring);
  // Through a rig file and onto another copy of the character.
  const RigFile rig = read_rig_json(as_bytes(write_rig_json(asset.character)), "x.rig.json");
  Asset other = fixture();
  apply_rig(other, rig);
  EXPECT_EQ(std::count_if(other.warnings.begin(), other.warnings.end(),
                          [](const Finding& finding) { return finding.code == "rig.driver"; }),
            1);
  ASSERT_TRUE(other.character.rig.skeleton.joints[last].driver);
  EXPECT_TRUE(same_json(other.character.rig.skeleton.joints[last].driver->opaque, kSpring));
}

TEST(DriverFiles, TheNumberOfAnUnknownDriversSourceFollowsTheFile) {
  Asset asset = with_helpers();
  Skeleton& skeleton = asset.character.rig.skeleton;
  Driver& driver = *skeleton.joints.back().driver;
  driver.opaque = R"({"kind":"spring","source":77})";
  driver.source = skeleton.size() - 3;
  const test::TemporaryFolder folder;
  const Asset again = saved_and_loaded(asset, folder / "a.glb");
  const Driver& read = *again.character.rig.skeleton.joints[again.character.rig.skeleton.find("helper5")].driver;
  EXPECT_EQ(again.character.rig.skeleton.joints[read.source].name, skeleton.joints[driver.source].name);
  const RigFile rig = read_rig_json(as_bytes(write_rig_json(asset.character)), "x.rig.json");
  EXPECT_EQ(rig.skeleton.joints.back().driver->source, driver.source);
}

TEST(JointExtras, RolesPartnersAndLimitsComeBack) {
  Asset asset = fixture();
  Skeleton& skeleton = asset.character.rig.skeleton;
  ASSERT_GE(skeleton.size(), 2u);
  skeleton.joints[0].role = "left_thigh";
  skeleton.joints[1].role = "right_thigh";
  skeleton.joints[0].mirror = 1;
  skeleton.joints[1].mirror = 0;
  skeleton.joints[1].limits = RotationLimits{Vec3(-0.5, 0, -1), Vec3(0.25, 0.5, 1)};
  const test::TemporaryFolder folder;
  Report report;
  SaveOptions options;
  options.changes.skeleton = true;
  save(asset, folder / "joints.glb", options, report);
  const Skeleton back = load(folder / "joints.glb").character.rig.skeleton;
  EXPECT_EQ(back.joints[0].role, "left_thigh");
  EXPECT_EQ(back.joints[0].mirror, 1u);
  EXPECT_FALSE(back.joints[0].limits);
  ASSERT_TRUE(back.joints[1].limits);
  EXPECT_LT((back.joints[1].limits->lower_rad - Vec3(-0.5, 0, -1)).norm(), 1e-9);
  EXPECT_LT((back.joints[1].limits->upper_rad - Vec3(0.25, 0.5, 1)).norm(), 1e-9);
}

TEST(JointExtras, PartnersThatDoNotPointBackAreNone) {
  Asset asset = fixture();
  Skeleton& skeleton = asset.character.rig.skeleton;
  skeleton.joints[0].role = "left_thigh";  // A partner without a role is written on one side only.
  skeleton.joints[0].mirror = 1;
  skeleton.joints[1].mirror = 0;
  const test::TemporaryFolder folder;
  Report report;
  SaveOptions options;
  options.changes.skeleton = true;
  save(asset, folder / "joints.glb", options, report);
  const Skeleton back = load(folder / "joints.glb").character.rig.skeleton;
  EXPECT_EQ(back.joints[0].mirror, kNone);
  EXPECT_EQ(back.joints[1].mirror, kNone);
}

TEST(VrmAnimation, ItsTableTellsTheRolesOfJoints) {
  const std::string text = R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 1, 0], "children": [2, 3]},
              {"name": "c", "translation": [0.1, 0, 0]}, {"name": "d"}],
    "extensionsUsed": ["VRMC_vrm_animation"],
    "extensions": {"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": {
      "hips": {"node": 1}, "leftUpperLeg": {"node": 2}, "rightHand": {"node": 99}}}}}})";
  const auto bytes = as_bytes(text);
  const Skeleton skeleton = load_bytes("walk.vrma", Bytes(bytes.begin(), bytes.end())).character.rig.skeleton;
  ASSERT_EQ(skeleton.size(), 3u) << "the bones and what is above them";
  EXPECT_EQ(skeleton.joints[skeleton.find("b")].role, "hips");
  EXPECT_EQ(skeleton.joints[skeleton.find("c")].role, "left_thigh");
}

}  // namespace
}  // namespace sinew::io
