// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/compact.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/io/gltf/json_access.h"

namespace sinew::io::gltf {
namespace {

using Visit = std::function<void(Json&)>;

// Extensions that name no accessor.
constexpr const char* kWithoutAccessors[] = {"KHR_materials_",   "KHR_texture_", "EXT_texture_",
                                             "MSFT_texture_",    "KHR_lights_",  "EXT_lights_",
                                             "KHR_xmp",          "VRM",          "KHR_mesh_quantization",
                                             "FB_ngon_encoding", "KHR_draco_",   "KHR_node_visibility"};

bool may_be_compacted(const Json& json) {
  if (array_at(json, "buffers", "file").size() != 1) return false;
  for (const Json& view : array_at(json, "bufferViews", "file"))
    if (view.contains("extensions")) return false;
  for (const Json& name : array_at(json, "extensionsUsed", "file")) {
    const auto known = [&](const char* start) { return name.get_ref<const std::string&>().starts_with(start); };
    if (std::none_of(std::begin(kWithoutAccessors), std::end(kWithoutAccessors), known)) return false;
  }
  return true;
}

template <class Body>
void for_each(Json& owner, const char* name, Body&& body) {
  const auto found = owner.find(name);
  if (found == owner.end()) return;
  for (Json& entry : *found) body(entry);
}

void visit_key(Json& owner, const char* key, const Visit& visit) {
  const auto found = owner.find(key);
  if (found != owner.end() && found->is_number_unsigned()) visit(*found);
}

// Every number of an accessor.
void visit_accessors(Json& json, const Visit& visit) {
  const auto attributes = [&](Json& table) {
    for (auto& entry : table.items())
      if (entry.value().is_number_unsigned()) visit(entry.value());
  };
  for_each(json, "meshes", [&](Json& mesh) {
    for_each(mesh, "primitives", [&](Json& primitive) {
      visit_key(primitive, "indices", visit);
      if (primitive.contains("attributes")) attributes(primitive["attributes"]);
      for_each(primitive, "targets", attributes);
    });
  });
  for_each(json, "skins", [&](Json& skin) { visit_key(skin, "inverseBindMatrices", visit); });
  for_each(json, "animations", [&](Json& animation) {
    for_each(animation, "samplers", [&](Json& sampler) {
      visit_key(sampler, "input", visit);
      visit_key(sampler, "output", visit);
    });
  });
}

// Every number of a view, whoever holds it.
void visit_views(Json& value, const Visit& visit) {
  if (value.is_object()) {
    for (auto& entry : value.items()) {
      if (entry.key() == "bufferView" && entry.value().is_number_unsigned()) visit(entry.value());
      else visit_views(entry.value(), visit);
    }
  } else if (value.is_array()) {
    for (Json& child : value) visit_views(child, visit);
  }
}

void visit_skins(Json& json, const Visit& visit) {
  for_each(json, "nodes", [&](Json& node) { visit_key(node, "skin", visit); });
}

// Takes the unused entries out of a list and gives all references their new numbers.
template <class Walk>
std::vector<Index> take_out_unused(Json& json, const char* name, Walk&& walk) {
  if (!json.contains(name)) return {};
  const std::size_t count = json[name].size();
  std::vector<bool> used(count, false);
  walk(json, [&](Json& number) { used.at(number.get<std::size_t>()) = true; });
  std::vector<Index> fresh(count, kNone), kept;
  Json list = Json::array();
  for (Index i = 0; i < count; ++i) {
    if (!used[i]) continue;
    fresh[i] = static_cast<Index>(kept.size());
    kept.push_back(i);
    list.push_back(std::move(json[name][i]));
  }
  json[name] = std::move(list);
  walk(json, [&](Json& number) { number = fresh[number.get<std::size_t>()]; });
  if (kept.empty()) json.erase(name);
  return kept;
}

}  // namespace

Bytes compact(Json& json, Bytes bytes) {
  if (!may_be_compacted(json)) return bytes;
  take_out_unused(json, "skins", visit_skins);
  take_out_unused(json, "accessors", visit_accessors);
  take_out_unused(json, "bufferViews", visit_views);
  Bytes packed;
  for_each(json, "bufferViews", [&](Json& view) {
    const auto offset = view.value("byteOffset", std::size_t{0}), length = view["byteLength"].get<std::size_t>();
    if (offset > bytes.size() || length > bytes.size() - offset)
      throw Error("A buffer view reaches beyond the end of its buffer.");
    packed.resize((packed.size() + 3) / 4 * 4);
    view["byteOffset"] = packed.size();
    packed.insert(packed.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                  bytes.begin() + static_cast<std::ptrdiff_t>(offset + length));
  });
  json["buffers"][0]["byteLength"] = packed.size();
  if (packed.empty()) json.erase("buffers");
  return packed;
}

}  // namespace sinew::io::gltf
