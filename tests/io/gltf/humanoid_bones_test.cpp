// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/humanoid_bones.h"

#include <gtest/gtest.h>

namespace sinew::io {
namespace {

Skeleton with_roles(const std::vector<std::string>& roles) {
  Skeleton skeleton;
  for (const std::string& role : roles) skeleton.joints.emplace_back().role = role;
  return skeleton;
}

TEST(HumanoidBones, RolesBecomeBonesAndRequiredOnesAreMissed) {
  const HumanoidBones bones = humanoid_bones(with_roles({"hips", "left_little_2", "right_thumb_1", "tail_1"}), "");
  EXPECT_EQ(bones.humanoid.name, "character");
  const std::vector<std::pair<std::string, Index>> expected = {
      {"hips", 0}, {"leftLittleIntermediate", 1}, {"rightThumbMetacarpal", 2}};
  EXPECT_EQ(bones.humanoid.bones, expected);
  EXPECT_EQ(bones.missing.size(), 14U);
}

TEST(HumanoidBones, TheFirstOfSeveralJointsCounts) {
  const HumanoidBones bones = humanoid_bones(with_roles({"spine_2", "chest"}), "Ann");
  ASSERT_EQ(bones.humanoid.bones.size(), 1U);
  EXPECT_EQ(bones.humanoid.bones[0], (std::pair<std::string, Index>{"chest", 0}));
  EXPECT_EQ(bones.humanoid.name, "Ann");
}

}  // namespace
}  // namespace sinew::io
