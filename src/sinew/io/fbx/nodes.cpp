// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What the file states about itself, and its nodes.

#include <Eigen/LU>
#include <algorithm>
#include <string>

#include "sinew/io/fbx/import.h"

namespace sinew::io::fbx {
namespace {

std::int32_t small_integer(const Properties& properties, std::string_view name, std::int32_t fallback) {
  const std::int64_t value = properties.integer(name, fallback);
  return value >= -1000 && value <= 1000 ? static_cast<std::int32_t>(value) : fallback;
}

// Whether a node is connected to another one or to the scene.
bool has_place(const Objects& objects, Index object) {
  const std::vector<Link>& parents = objects.parents(object);
  return std::any_of(parents.begin(), parents.end(), [&](const Link& link) {
    return link.property.empty() && (link.object == 0 || objects[link.object].kind == "Model");
  });
}

}  // namespace

void Import::take_rows(std::uint64_t count) {
  if (count > rows_left)
    throw Error("Its meshes, instances and shapes hold more data than a file of this size can reasonably describe.");
  rows_left -= count;
}

void read_facts(const Record& root, std::uint32_t version, Import& import) {
  assimp::SceneFacts& facts = import.scene.facts;
  if (const Value* creator = root.child_value("Creator")) facts.generator = creator->text();
  facts.format_version = std::to_string(version);
  const Properties settings = import.objects.settings();
  facts.unit_scale = settings.number("UnitScaleFactor", 0);
  facts.up = small_integer(settings, "UpAxis", -1);
  facts.up_sign = small_integer(settings, "UpAxisSign", 0);
  facts.front = small_integer(settings, "FrontAxis", -1);
  facts.front_sign = small_integer(settings, "FrontAxisSign", 0);
  facts.right = small_integer(settings, "CoordAxis", -1);
  facts.right_sign = small_integer(settings, "CoordAxisSign", 0);
  for (const Object& object : import.objects.all()) {
    if (object.kind != "NodeAttribute") continue;
    facts.cameras += object.type == "Camera" ? 1 : 0;
    facts.lights += object.type == "Light" ? 1 : 0;
  }
}

void read_nodes(Import& import) {
  const Objects& objects = import.objects;
  assimp::Scene& scene = import.scene;
  import.node_of.assign(objects.size(), kNone);
  std::vector<Global> globals;
  // Nodes without a place stand in the scene, as in Blender. The stack has an object and its parent's node.
  std::vector<std::pair<Index, Index>> stack;
  for (Index object = objects.size(); object-- > 1;)
    if (objects[object].kind == "Model" && !has_place(objects, object)) stack.emplace_back(object, 0);
  stack.emplace_back(0, kNone);
  while (!stack.empty()) {
    const auto [object, parent] = stack.back();
    stack.pop_back();
    // A node has one place: the first. This also ends circles.
    if (import.node_of[object] != kNone) continue;
    const auto number = static_cast<Index>(scene.nodes.size());
    import.node_of[object] = number;
    import.object_of.push_back(object);
    assimp::SceneNode& node = scene.nodes.emplace_back();
    node.parent = parent;
    NodeTransform transform;
    Global global;
    if (parent == kNone) {
      node.name = "RootNode";
    } else {
      node.name = objects[object].name;
      transform = read_transform(objects.properties(object));
      node.local = relative_matrix(globals[parent], transform, transform.rest);
      global = child_global(globals[parent], transform, transform.rest);
    }
    import.transforms.push_back(transform);
    globals.push_back(global);
    const std::vector<Index> children = objects.children(object, "Model");
    for (std::size_t c = children.size(); c-- > 0;) stack.emplace_back(children[c], number);
  }
}

}  // namespace sinew::io::fbx
