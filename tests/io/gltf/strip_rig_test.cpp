// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/strip_rig.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/io/gltf/document.h"
#include "sinew/io/gltf/humanoid.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

using test::json_of;

Asset whole_fixture() { return load_bytes("fixture.glb", test::make_fixture()); }

bool mentions(const Json& value, const std::string& key) {
  if (value.is_object())
    for (const auto& entry : value.items())
      if (entry.key() == key || mentions(entry.value(), key)) return true;
  if (value.is_array())
    return std::any_of(value.begin(), value.end(), [&](const Json& child) { return mentions(child, key); });
  return false;
}

TEST(StripRig, NothingOfTheSkeletonStaysAndEveryVertexKeepsItsPlace) {
  const Asset before = whole_fixture();
  ASSERT_FALSE(before.character.rig.skins.empty());
  Report report;
  const StrippedRig stripped =
      strip_rig(before, std::vector<char>(before.character.rig.skeleton.joints.size(), 0), report);
  const Rig& rig = stripped.asset.character.rig;
  EXPECT_TRUE(rig.skins.empty());
  EXPECT_TRUE(rig.weights.empty());
  for (const char* key : {"skins", "skin", "JOINTS_0", "WEIGHTS_0"})
    EXPECT_FALSE(mentions(json_of(stripped.asset), key)) << key;
  ASSERT_EQ(rig.mesh.vertex_count(), before.character.rig.mesh.vertex_count());
  ASSERT_EQ(stripped.parts.size(), rig.mesh.parts.size());
  for (Index p = 0; p < stripped.parts.size(); ++p) {
    const MeshPart &part = rig.mesh.parts[p], &old = before.character.rig.mesh.parts[stripped.parts[p]];
    EXPECT_EQ(part.name, old.name);
    ASSERT_EQ(part.vertex_count, old.vertex_count);
    for (Index v = 0; v < part.vertex_count; ++v)
      EXPECT_LT((rig.mesh.positions[part.first_vertex + v] - before.character.rig.mesh.positions[old.first_vertex + v])
                    .norm(),
                1e-6);
  }
  EXPECT_FALSE(stripped.lost_clips.empty());
}

TEST(StripRig, KeptJointsAreBareNodesUnderTheirOldNames) {
  const Asset before = whole_fixture();
  const Skeleton& skeleton = before.character.rig.skeleton;
  std::vector<char> keep(skeleton.joints.size(), 0);
  Index joint = kNone;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (skeleton.joints[j].deforming) joint = j;
  keep[joint] = 1;
  Report report;
  const StrippedRig stripped = strip_rig(before, keep, report);
  const Index node = stripped.node_of_joint[joint];
  ASSERT_NE(node, kNone);
  const Json& json = json_of(stripped.asset)["nodes"][node];
  EXPECT_EQ(json["name"], skeleton.joints[joint].name);
  EXPECT_FALSE(json.contains("children"));
  const auto gone = std::count(stripped.node_of_joint.begin(), stripped.node_of_joint.end(), kNone);
  EXPECT_EQ(gone + 1, skeleton.size());
}

TEST(StripRig, TablesOfVrmForgetWhatIsGoneAndKeepTheRest) {
  Json json = Json::parse(R"({
    "scenes": [{"nodes": [0]}],
    "nodes": [{"children": [1, 2]}, {}, {"extensions": {"VRMC_node_constraint": {"constraint": {"roll": {"source": 1}}}}}, {}],
    "extensions": {
      "VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": 0}, "head": {"node": 1}}}},
      "VRMC_springBone": {"colliders": [{"node": 1}, {"node": 2}],
        "colliderGroups": [{"colliders": [0]}, {"colliders": [0, 1]}],
        "springs": [{"joints": [{"node": 2}, {"node": 3}], "colliderGroups": [1], "center": 1},
                    {"joints": [{"node": 1}, {"node": 2}], "colliderGroups": [0]}]},
      "VRM": {"humanoid": {"humanBones": [{"bone": "hips", "node": 0}, {"bone": "head", "node": 1}]},
        "firstPerson": {"firstPersonBone": 1},
        "secondaryAnimation": {"boneGroups": [{"bones": [1, 2], "center": -1, "colliderGroups": [0, 1]}, {"bones": [1]}],
          "colliderGroups": [{"node": 1}, {"node": 0}]}}}})");
  const std::vector<std::string> told = gltf::forget_nodes(json, {false, true, false, false});
  EXPECT_FALSE(told.empty());
  const Json& vrm = json["extensions"]["VRMC_vrm"];
  EXPECT_EQ(vrm["humanoid"]["humanBones"].size(), 1U);
  const Json& springs = json["extensions"]["VRMC_springBone"];
  EXPECT_EQ(springs["colliders"], Json::parse(R"([{"node": 2}])"));
  EXPECT_EQ(springs["colliderGroups"], Json::parse(R"([{"colliders": [0]}])"));
  ASSERT_EQ(springs["springs"].size(), 1U);
  EXPECT_EQ(springs["springs"][0]["colliderGroups"], Json::parse("[0]"));
  EXPECT_FALSE(springs["springs"][0].contains("center"));
  const Json& old = json["extensions"]["VRM"];
  EXPECT_EQ(old["humanoid"]["humanBones"].size(), 1U);
  EXPECT_EQ(old["firstPerson"]["firstPersonBone"], -1);
  ASSERT_EQ(old["secondaryAnimation"]["boneGroups"].size(), 1U);
  EXPECT_EQ(old["secondaryAnimation"]["boneGroups"][0]["bones"], Json::parse("[2]"));
  EXPECT_EQ(old["secondaryAnimation"]["boneGroups"][0]["colliderGroups"], Json::parse("[0]"));
  EXPECT_FALSE(json["nodes"][2].contains("extensions"));
  std::size_t visited = 0;
  gltf::visit_node_numbers(json, [&](Json& number) {
    ++visited;
    EXPECT_GE(number.get<int>(), 0);
  });
  EXPECT_EQ(visited, 10U);
}

TEST(StripRig, AHumanoidIsNamedInTheTableThereIsOrInANewOne) {
  gltf::GltfDocument document;
  document.container.json = Json::parse(R"({"asset": {"version": "2.0"}})");
  Humanoid humanoid{"Ann", {{"hips", 0}, {"leftThumbMetacarpal", 1}}, true};
  {
    gltf::DocumentEditor editor(document);
    gltf::write_humanoid(editor, humanoid, {4, 7});
    const Json& vrm = editor.json["extensions"]["VRMC_vrm"];
    EXPECT_EQ(vrm["specVersion"], "1.0");
    EXPECT_EQ(vrm["meta"]["name"], "Ann");
    EXPECT_EQ(vrm["humanoid"]["humanBones"]["leftThumbMetacarpal"]["node"], 7);
    EXPECT_EQ(editor.json["extensionsUsed"], Json::parse(R"(["VRMC_vrm"])"));
  }
  document.container.json["extensions"]["VRM"] = {{"humanoid", {{"humanBones", Json::array()}}}};
  gltf::DocumentEditor editor(document);
  gltf::write_humanoid(editor, humanoid, {4, 7});
  EXPECT_FALSE(editor.json["extensions"].contains("VRMC_vrm"));
  EXPECT_EQ(editor.json["extensions"]["VRM"]["humanoid"]["humanBones"][1]["bone"], "leftThumbProximal");
  document.container.json.erase("extensions");
  humanoid.create = false;
  gltf::DocumentEditor plain(document);
  gltf::write_humanoid(plain, humanoid, {4, 7});
  EXPECT_FALSE(plain.json.contains("extensions"));
}

}  // namespace
}  // namespace sinew::io
