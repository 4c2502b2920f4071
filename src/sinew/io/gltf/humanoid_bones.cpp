// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/humanoid_bones.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sinew/io/gltf/humanoid.h"
#include "sinew/io/gltf/json_access.h"

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

namespace gltf {
namespace {

const Json* table_at(const Json& json, const char* extension) {
  const Json& extensions = object_at(json, "extensions", "file");
  const auto found = extensions.find(extension);
  if (found == extensions.end() || !found->is_object()) return nullptr;
  const auto humanoid = found->find("humanoid");
  if (humanoid == found->end() || !humanoid->is_object()) return nullptr;
  const auto bones = humanoid->find("humanBones");
  return bones == humanoid->end() ? nullptr : &*bones;
}

// The roles of VRM's bones: the other way round as `vrm_bone`.
std::string role_of_bone(const std::string& bone) {
  static const std::map<std::string, std::string> roles = [] {
    std::map<std::string, std::string> made;
    const auto add = [&](const std::string& role) {
      if (const std::string name = vrm_bone(role); !name.empty()) made.emplace(name, role);
    };
    for (const char* role : {"hips", "spine", "chest", "chest_2", "neck", "head", "jaw"}) add(role);
    for (const std::string side : {"left_", "right_"}) {
      for (const char* part : {"eye", "shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes"})
        add(side + part);
      for (const char* finger : {"thumb", "index", "middle", "ring", "little"})
        for (const char* number : {"_1", "_2", "_3"}) add(side + finger + number);
      // VRM 0.x counts the bones of the thumb from the wrist like those of other fingers.
      made.emplace(side.substr(0, side.size() - 1) + "ThumbIntermediate", side + "thumb_2");
    }
    return made;
  }();
  const auto found = roles.find(bone);
  return found == roles.end() ? std::string() : found->second;
}

void give_role(const Json& bone, const std::string& name, const NodeGraph& graph, Skeleton& skeleton) {
  if (!bone.is_object()) return;
  const auto node = bone.find("node");
  if (node == bone.end() || !node->is_number_unsigned() || node->get<std::uint64_t>() >= graph.joint.size()) return;
  const Index joint = graph.joint[node->get<std::size_t>()];
  const std::string role = role_of_bone(name);
  if (joint != kNone && !role.empty()) skeleton.joints[joint].role = role;
}

}  // namespace

bool names_humanoid(const Json& json) {
  return table_at(json, "VRMC_vrm") || table_at(json, "VRM") || table_at(json, "VRMC_vrm_animation");
}

std::vector<Index> animated_humanoid(const Json& json) {
  std::vector<Index> nodes;
  const Json* bones = table_at(json, "VRMC_vrm_animation");
  if (!bones || !bones->is_object()) return nodes;
  for (const auto& bone : bones->items())
    if (bone.value().is_object() && bone.value().contains("node") && bone.value()["node"].is_number_unsigned())
      nodes.push_back(bone.value()["node"].get<Index>());
  return nodes;
}

void read_humanoid_roles(const GltfDocument& document, const NodeGraph& graph, Skeleton& skeleton) {
  for (const char* extension : {"VRMC_vrm", "VRMC_vrm_animation", "VRM"}) {
    const Json* bones = table_at(document.json(), extension);
    if (!bones) continue;
    if (bones->is_object())
      for (const auto& bone : bones->items()) give_role(bone.value(), bone.key(), graph, skeleton);
    if (bones->is_array())
      for (const Json& bone : *bones)
        if (bone.is_object() && bone.contains("bone") && bone["bone"].is_string())
          give_role(bone, bone["bone"].get<std::string>(), graph, skeleton);
    return;
  }
}

}  // namespace gltf
}  // namespace sinew::io
