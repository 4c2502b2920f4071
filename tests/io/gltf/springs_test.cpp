// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sinew/io/asset.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

/// The names of joints that swing in a file of nodes a, b below it, c below b, and d, with these extensions.
std::vector<std::string> swinging(const std::string& extensions) {
  const test::TemporaryFolder folder;
  const std::string text = R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 3]}],
    "nodes": [{"name": "a", "children": [1]}, {"name": "b", "children": [2]}, {"name": "c"}, {"name": "d"}],
    "skins": [{"joints": [0, 1, 2, 3]}], "extensions": )" +
                           extensions + "}";
  test::write(folder / "springs.gltf", test::bytes_of(text));
  std::vector<std::string> names;
  for (const Joint& joint : load(folder / "springs.gltf").character.rig.skeleton.joints)
    if (joint.swings) names.push_back(joint.name);
  return names;
}

TEST(Springs, OfBothVersionsOfVrmMarkTheirJoints) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(swinging(R"({"VRMC_springBone": {"springs": [{"joints": [{"node": 1}, {"node": 3}]}]}})"),
            (Names{"b", "d"}));
  EXPECT_EQ(swinging(R"({"VRM": {"secondaryAnimation": {"boneGroups": [{"bones": [1]}]}}})"), (Names{"b", "c"}));
  EXPECT_EQ(swinging("{}"), Names{});
}

TEST(Springs, OfAnyOtherFormCountAsAbsent) {
  for (const char* extensions :
       {R"({"VRMC_springBone": []})", R"({"VRMC_springBone": {"springs": {}}})",
        R"({"VRMC_springBone": {"springs": [7]}})",
        R"({"VRMC_springBone": {"springs": [{"joints": [{"node": 99}, {"node": -1}, {"node": "b"}, 3]}]}})",
        R"({"VRM": {"secondaryAnimation": {"boneGroups": [{"bones": [99, "x", {}]}, 4]}}})"})
    EXPECT_TRUE(swinging(extensions).empty()) << extensions;
}

}  // namespace
}  // namespace sinew::io
