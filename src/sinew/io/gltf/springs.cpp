// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/document.h"
#include "sinew/io/gltf/humanoid.h"

namespace sinew::io::gltf {
namespace {

/// A member of an object that may be anything; null if it has none of that name.
const Json* member(const Json* owner, const char* key) {
  if (!owner || !owner->is_object()) return nullptr;
  const auto found = owner->find(key);
  return found == owner->end() ? nullptr : &*found;
}

/// The joint of a node's number; kNone if it has none.
Index joint_of(const Json* number, const NodeGraph& graph) {
  if (!number || !number->is_number_unsigned() || number->get<std::uint64_t>() >= graph.joint.size()) return kNone;
  return graph.joint[number->get<std::size_t>()];
}

template <class Visit>
void each_of(const Json* list, Visit&& visit) {
  if (list && list->is_array())
    for (const Json& element : *list) visit(element);
}

}  // namespace

void read_springs(const GltfDocument& document, const NodeGraph& graph, Skeleton& skeleton) {
  const Json* extensions = member(&document.json(), "extensions");
  const auto mark = [&](const Json* node) {
    if (const Index joint = joint_of(node, graph); joint != kNone) skeleton.joints[joint].swings = true;
  };
  each_of(member(member(extensions, "VRMC_springBone"), "springs"), [&](const Json& spring) {
    each_of(member(&spring, "joints"), [&](const Json& joint) { mark(member(&joint, "node")); });
  });
  // VRM 0.x names where chains begin.
  const Json* groups = member(member(member(extensions, "VRM"), "secondaryAnimation"), "boneGroups");
  std::vector<char> below(skeleton.size(), 0);
  each_of(groups, [&](const Json& group) {
    each_of(member(&group, "bones"), [&](const Json& bone) {
      if (const Index joint = joint_of(&bone, graph); joint != kNone) below[joint] = 1;
    });
  });
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    if (parent != kNone && below[parent]) below[j] = 1;
    if (below[j]) skeleton.joints[j].swings = true;
  }
}

}  // namespace sinew::io::gltf
