// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/rotate_nodes.h"

#include <map>

#include "sinew/io/gltf/document.h"

namespace sinew::io {
namespace {

using Turns = std::map<Index, Quat>;

const Quat* turn_of(const Turns& turns, const Json& node) {
  if (!node.is_number_unsigned()) return nullptr;
  const auto found = turns.find(node.get<Index>());
  return found == turns.end() ? nullptr : &found->second;
}

Json* member(Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

Json* member(Json* json, const char* key) { return json ? member(*json, key) : nullptr; }

// [x, y, z], as VRM 1 has vectors.
void rotate_list(Json* list, const Quat& turn) {
  if (!list || !list->is_array() || list->size() != 3) return;
  for (const Json& number : *list)
    if (!number.is_number()) return;
  const Vec3 v = turn.conjugate() * Vec3((*list)[0].get<double>(), (*list)[1].get<double>(), (*list)[2].get<double>());
  *list = {v.x(), v.y(), v.z()};
}

// {"x": …, "y": …, "z": …} with z against that of glTF, as VRM 0 has vectors.
void rotate_object(Json* object, const Quat& turn) {
  if (!object || !object->is_object()) return;
  const auto at = [&](const char* key) {
    const auto found = object->find(key);
    return found != object->end() && found->is_number() ? found->get<double>() : 0.0;
  };
  const Vec3 v = turn.conjugate() * Vec3(at("x"), at("y"), -at("z"));
  (*object)["x"] = v.x();
  (*object)["y"] = v.y();
  (*object)["z"] = -v.z();
}

void rotate_vrm0(Json& vrm, const Turns& turns) {
  if (Json* groups = member(member(vrm, "secondaryAnimation"), "colliderGroups"); groups && groups->is_array())
    for (Json& group : *groups) {
      const Quat* turn = turn_of(turns, group.is_object() ? group.value("node", Json()) : Json());
      Json* colliders = member(group, "colliders");
      if (!turn || !colliders || !colliders->is_array()) continue;
      for (Json& collider : *colliders) rotate_object(member(collider, "offset"), *turn);
    }
  if (Json* person = member(vrm, "firstPerson"); person && person->is_object())
    if (const Quat* turn = turn_of(turns, person->value("firstPersonBone", Json())))
      rotate_object(member(*person, "firstPersonBoneOffset"), *turn);
}

void rotate_colliders(Json& springs, const Turns& turns) {
  Json* colliders = member(springs, "colliders");
  if (!colliders || !colliders->is_array()) return;
  for (Json& collider : *colliders) {
    const Quat* turn = turn_of(turns, collider.is_object() ? collider.value("node", Json()) : Json());
    if (!turn) continue;
    Json* extended = member(member(collider, "extensions"), "VRMC_springBone_extended_collider");
    for (Json* shape : {member(collider, "shape"), member(extended, "shape")})
      for (const char* kind : {"sphere", "capsule", "plane"})
        for (const char* key : {"offset", "tail", "normal"}) rotate_list(member(member(shape, kind), key), *turn);
  }
}

void rotate_eyes(Json& vrm, const Turns& turns) {
  Json* head = member(member(member(member(vrm, "humanoid"), "humanBones"), "head"), "node");
  if (!head) return;
  if (const Quat* turn = turn_of(turns, *head)) rotate_list(member(member(vrm, "lookAt"), "offsetFromHeadBone"), *turn);
}

}  // namespace

void rotate_nodes(Asset& asset, const std::vector<std::pair<Index, Quat>>& turns) {
  const auto shared = std::dynamic_pointer_cast<const gltf::GltfDocument>(asset.document);
  if (turns.empty() || !shared) return;
  const std::shared_ptr<gltf::GltfDocument> document = gltf::GltfDocument::own_copy(shared);
  asset.document = document;
  const Turns by_node(turns.begin(), turns.end());
  Json& json = document->container.json;
  Json* extensions = member(json, "extensions");
  if (Json* vrm = member(extensions, "VRM")) rotate_vrm0(*vrm, by_node);
  if (Json* vrm = member(extensions, "VRMC_vrm")) rotate_eyes(*vrm, by_node);
  if (Json* springs = member(extensions, "VRMC_springBone")) rotate_colliders(*springs, by_node);
}

}  // namespace sinew::io
