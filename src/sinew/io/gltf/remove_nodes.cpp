// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/remove_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/io/gltf/document.h"
#include "sinew/io/gltf/humanoid.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/scene.h"

namespace sinew::io {
namespace gltf {
namespace {

void set_matrix(Json& node, const Mat4& m) {
  for (const char* key : {"matrix", "translation", "rotation", "scale"}) node.erase(key);
  const Decomposed local = decompose(m);
  if ((local.shear - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-6) {
    node["matrix"] = std::vector<double>(m.data(), m.data() + 16);
    return;
  }
  const Transform& t = local.transform;
  node["translation"] = {t.translation.x(), t.translation.y(), t.translation.z()};
  node["rotation"] = {t.rotation.x(), t.rotation.y(), t.rotation.z(), t.rotation.w()};
  node["scale"] = {t.scale.x(), t.scale.y(), t.scale.z()};
}

// The children of `owner`, with those of removed nodes in their place.
void lift_children(Json& nodes, Json& owner, const char* key, const std::vector<bool>& gone) {
  if (!owner.contains(key)) return;
  Json left = Json::array();
  for (const Json& child : owner[key]) {
    const auto n = child.get<std::size_t>();
    if (!gone[n]) {
      left.push_back(child);
      continue;
    }
    const Mat4 above = local_matrix(nodes[n], "node");
    for (const Json& below : array_at(nodes[n], "children", "node")) {
      Json& node = nodes[below.get<std::size_t>()];
      set_matrix(node, above * local_matrix(node, "node"));
      left.push_back(below);
    }
  }
  // An empty list is not valid glTF.
  if (left.empty()) owner.erase(key);
  else owner[key] = std::move(left);
}

// So that a row of removed nodes hands its children up step by step.
std::vector<Index> deepest_first(const Json& nodes, const std::vector<bool>& gone) {
  std::vector<Index> parent(nodes.size(), kNone), depth(nodes.size(), 0), order;
  for (Index n = 0; n < nodes.size(); ++n)
    for (const Json& child : array_at(nodes[n], "children", "node")) parent[child.get<std::size_t>()] = n;
  for (Index n = 0; n < nodes.size(); ++n) {
    if (gone[n]) order.push_back(n);
    for (Index p = parent[n]; p != kNone && depth[n] <= nodes.size(); p = parent[p]) ++depth[n];
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return depth[a] > depth[b]; });
  return order;
}

void remove_channels(Json& json, const std::vector<bool>& gone) {
  if (!json.contains("animations")) return;
  for (Json& animation : json["animations"]) {
    Json channels = Json::array();
    for (const Json& channel : animation["channels"]) {
      const auto node = channel.value("target", Json::object()).value("node", kNone);
      if (node >= gone.size() || !gone[node]) channels.push_back(channel);
    }
    // An animation without channels is not valid glTF, and others are known by their number.
    if (!channels.empty()) animation["channels"] = std::move(channels);
  }
}

}  // namespace
}  // namespace gltf

void remove_nodes(Asset& asset, const std::vector<Index>& removed, Report& report) {
  const auto shared = std::dynamic_pointer_cast<const gltf::GltfDocument>(asset.document);
  if (removed.empty() || !shared) return;
  const std::shared_ptr<gltf::GltfDocument> document = gltf::GltfDocument::own_copy(shared);
  asset.document = document;
  Json& json = document->container.json;
  Json& nodes = json["nodes"];
  std::vector<bool> gone(nodes.size(), false);
  for (const Index n : removed) {
    if (n >= nodes.size()) continue;
    if (nodes[n].contains("mesh") || nodes[n].contains("camera"))
      throw Error(fmt::format("The joint '{}' has a mesh or a camera of its own and cannot be removed.",
                              nodes[n].value("name", "")));
    gone[n] = true;
  }
  const std::vector<Index> order = gltf::deepest_first(nodes, gone);
  for (const Index n : order) gltf::lift_children(nodes, nodes[n], "children", gone);
  for (Index n = 0; n < nodes.size(); ++n)
    if (!gone[n]) gltf::lift_children(nodes, nodes[n], "children", gone);
  if (json.contains("scenes"))
    for (Json& scene : json["scenes"]) gltf::lift_children(nodes, scene, "nodes", gone);
  for (const Index n : order)
    for (const char* key : {"children", "extensions"}) nodes[n].erase(key);
  if (json.contains("skins"))
    for (Json& skin : json["skins"])
      if (const auto root = skin.value("skeleton", kNone); root < gone.size() && gone[root]) skin.erase("skeleton");
  gltf::remove_channels(json, gone);
  const std::vector<std::string> told = gltf::forget_nodes(json, gone);
  if (!told.empty())
    report.warn(
        "gltf.dropped_tables", "",
        fmt::format("The file's extensions refer to joints that are removed, so these entries were left out: {}.",
                    fmt::join(told, ", ")));
}

}  // namespace sinew::io
