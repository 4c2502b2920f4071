// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/humanoid_bones.h"

#include <algorithm>
#include <utility>

namespace sinew::io {
namespace {

// The bone of VRM 1.0 for a role, or an empty string.
std::string vrm_bone(const std::string& role) {
  static const std::vector<std::pair<std::string, std::string>> middle = {
      {"hips", "hips"},          {"spine", "spine"}, {"spine_2", "chest"},
      {"spine_3", "upperChest"}, {"chest", "chest"}, {"chest_2", "upperChest"},
      {"neck", "neck"},          {"head", "head"},   {"jaw", "jaw"}};
  static const std::vector<std::pair<std::string, std::string>> sided = {
      {"eye", "Eye"},   {"shoulder", "Shoulder"},       {"upper_arm", "UpperArm"},    {"forearm", "LowerArm"},
      {"hand", "Hand"}, {"thigh", "UpperLeg"},          {"shin", "LowerLeg"},         {"foot", "Foot"},
      {"toes", "Toes"}, {"thumb_1", "ThumbMetacarpal"}, {"thumb_2", "ThumbProximal"}, {"thumb_3", "ThumbDistal"}};
  static const std::vector<std::pair<std::string, std::string>> fingers = {
      {"index", "Index"}, {"middle", "Middle"}, {"ring", "Ring"}, {"little", "Little"}};
  for (const auto& [from, to] : middle)
    if (role == from) return to;
  for (const std::string side : {"left", "right"}) {
    if (!role.starts_with(side + "_")) continue;
    const std::string part = role.substr(side.size() + 1);
    for (const auto& [from, to] : sided)
      if (part == from) return side + to;
    for (const auto& [from, to] : fingers)
      for (const auto& [number, word] :
           {std::pair{"_1", "Proximal"}, std::pair{"_2", "Intermediate"}, std::pair{"_3", "Distal"}})
        if (part == from + number) return side + to + word;
  }
  return "";
}

}  // namespace

HumanoidBones humanoid_bones(const Skeleton& skeleton, const std::string& name) {
  HumanoidBones result;
  Humanoid& humanoid = result.humanoid;
  humanoid.name = name.empty() ? "character" : name;
  const auto has = [&](const std::string& bone) {
    return std::any_of(humanoid.bones.begin(), humanoid.bones.end(), [&](const auto& b) { return b.first == bone; });
  };
  for (Index j = 0; j < skeleton.size(); ++j)
    if (const std::string bone = vrm_bone(skeleton.joints[j].role); !bone.empty() && !has(bone))
      humanoid.bones.emplace_back(bone, j);
  for (const char* bone :
       {"hips", "spine", "head", "leftUpperArm", "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm",
        "rightHand", "leftUpperLeg", "leftLowerLeg", "leftFoot", "rightUpperLeg", "rightLowerLeg", "rightFoot"})
    if (!has(bone)) result.missing.emplace_back(bone);
  return result;
}

}  // namespace sinew::io
