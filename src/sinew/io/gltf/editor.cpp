// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sinew/io/gltf/json_access.h"

namespace sinew::io::gltf {
namespace {

// Old buffers keep their alignment, whatever it was, up to 16 bytes.
constexpr std::size_t kBufferAlign = 16;

std::size_t aligned(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

// The float's shortest text that reads back as itself is what a JSON reader compares bounds with.
double exact(float value) { return static_cast<double>(value); }

Json header(const NewElements& elements, Index view) {
  Json accessor = {{"bufferView", view},
                   {"componentType", static_cast<int>(elements.component)},
                   {"count", elements.count},
                   {"type", elements.type}};
  if (elements.normalized) accessor["normalized"] = true;
  if (!elements.minimum.empty()) accessor["min"] = elements.minimum, accessor["max"] = elements.maximum;
  return accessor;
}

// How often a view is named anywhere, extensions we do not know included.
std::size_t view_uses(const Json& value, Index view) {
  std::size_t uses = 0;
  if (value.is_object()) {
    for (const auto& [key, child] : value.items())
      uses += key == "bufferView" && child.is_number_unsigned() ? (child.get<std::uint64_t>() == view ? 1 : 0)
                                                                : view_uses(child, view);
  } else if (value.is_array()) {
    for (const Json& child : value) uses += view_uses(child, view);
  }
  return uses;
}

}  // namespace

NewElements float_elements(std::span<const float> values, const std::string& type, int target, bool bounds) {
  NewElements elements;
  elements.type = type;
  elements.target = target;
  const std::size_t width = type == "SCALAR" ? 1 : type == "VEC2" ? 2 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 16;
  elements.count = values.size() / width;
  const auto raw = std::as_bytes(values);
  elements.bytes.assign(raw.begin(), raw.end());
  if (bounds && elements.count > 0) {
    for (std::size_t c = 0; c < width; ++c) {
      float low = values[c], high = values[c];
      for (std::size_t i = c; i < values.size(); i += width)
        low = std::min(low, values[i]), high = std::max(high, values[i]);
      elements.minimum.push_back(exact(low));
      elements.maximum.push_back(exact(high));
    }
  }
  return elements;
}

DocumentEditor::DocumentEditor(const GltfDocument& document) : json(document.json()), document_(document) {}

Json& DocumentEditor::list(const char* name) {
  Json& array = json[name];
  if (!array.is_array()) array = Json::array();
  return array;
}

Index DocumentEditor::add_view(std::span<const std::byte> bytes, int target) {
  added_.resize(aligned(added_.size(), 4));
  Json view = {{"buffer", 0}, {"byteOffset", added_.size()}, {"byteLength", bytes.size()}};
  if (target != 0) view["target"] = target;
  added_.insert(added_.end(), bytes.begin(), bytes.end());
  Json& views = list("bufferViews");
  views.push_back(std::move(view));
  new_views_.push_back(static_cast<Index>(views.size() - 1));
  return new_views_.back();
}

Json DocumentEditor::describe(const NewElements& elements) {
  return header(elements, add_view(elements.bytes, elements.target));
}

Index DocumentEditor::add_accessor(const NewElements& elements) {
  Json accessor = describe(elements);
  Json& accessors = list("accessors");
  accessors.push_back(std::move(accessor));
  return static_cast<Index>(accessors.size() - 1);
}

// Puts new elements where the old ones lay, if they alone lie there and are as long.
bool DocumentEditor::overwrite(const Json& accessor, const NewElements& elements) {
  const auto view_index = accessor.value("bufferView", kNone);
  if (view_index == kNone || accessor.contains("sparse") || accessor.value("byteOffset", 0) != 0) return false;
  if (std::find(new_views_.begin(), new_views_.end(), view_index) != new_views_.end()) return false;
  const Json& view = json["bufferViews"][view_index];
  if (view.contains("extensions") || view.contains("byteStride") ||
      view.value("byteLength", std::size_t{0}) != elements.bytes.size())
    return false;
  if (view_uses(json, view_index) != 1) return false;
  patches_.push_back({view["buffer"].get<Index>(), view.value("byteOffset", std::size_t{0}), elements.bytes});
  return true;
}

void DocumentEditor::replace_accessor(Index index, const NewElements& elements) {
  const Json before = list("accessors")[index];
  Json fresh = overwrite(before, elements) ? header(elements, before["bufferView"].get<Index>()) : describe(elements);
  Json& accessor = list("accessors")[index];
  for (const char* key : {"byteOffset", "sparse", "normalized", "min", "max"}) accessor.erase(key);
  accessor.update(fresh);
}

std::size_t DocumentEditor::accessor_uses(Index accessor) const {
  std::size_t uses = 0;
  const auto count = [&](const Json& owner, const char* key) {
    const auto found = owner.find(key);
    if (found != owner.end() && found->is_number_unsigned() && found->get<Index>() == accessor) ++uses;
  };
  for (const Json& mesh : array_at(json, "meshes", "file"))
    for (const Json& primitive : array_at(mesh, "primitives", "mesh")) {
      count(primitive, "indices");
      const auto scan = [&](const Json& attributes) {
        for (const auto& [name, value] : attributes.items())
          if (value.is_number_unsigned() && value.get<Index>() == accessor) ++uses;
      };
      scan(object_at(primitive, "attributes", "primitive"));
      for (const Json& target : array_at(primitive, "targets", "primitive")) scan(target);
    }
  for (const Json& skin : array_at(json, "skins", "file")) count(skin, "inverseBindMatrices");
  for (const Json& animation : array_at(json, "animations", "file"))
    for (const Json& sampler : array_at(animation, "samplers", "animation"))
      count(sampler, "input"), count(sampler, "output");
  return uses;
}

Index DocumentEditor::attribute(Index mesh, Index primitive, const std::string& name) const {
  const Json& attributes = json["meshes"][mesh]["primitives"][primitive]["attributes"];
  const auto found = attributes.find(name);
  return found == attributes.end() ? kNone : found->get<Index>();
}

void DocumentEditor::set_attribute(Index mesh, std::span<const Index> primitives, const std::string& name,
                                   const NewElements& elements) {
  Index accessor = attribute(mesh, primitives.front(), name);
  if (accessor != kNone && accessor_uses(accessor) == primitives.size()) replace_accessor(accessor, elements);
  else accessor = add_accessor(elements);
  for (const Index primitive : primitives) {
    remove_attribute(mesh, primitive, name);
    json["meshes"][mesh]["primitives"][primitive]["attributes"][name] = accessor;
  }
}

void DocumentEditor::remove_attribute(Index mesh, Index primitive, const std::string& name) {
  Json& target = json["meshes"][mesh]["primitives"][primitive];
  target["attributes"].erase(name);
  // Draco data says which attributes are packed in it; this one no longer is.
  if (target.contains("extensions") && target["extensions"].contains(kDraco))
    target["extensions"][kDraco]["attributes"].erase(name);
}

void DocumentEditor::use_extension(const char* name) {
  Json& used = list("extensionsUsed");
  if (std::find(used.begin(), used.end(), Json(name)) == used.end()) used.push_back(name);
}

void DocumentEditor::embed_images(const GltfDocument& document, Report& report) {
  if (!json.contains("images")) return;
  Json& images = json["images"];
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::string uri = images[i].value("uri", "");
    if (uri.empty() || uri.starts_with("data:")) continue;
    std::vector<ReportFile> files;
    const auto bytes = resolve_uri(document.path, uri, files);
    if (!bytes || bytes->empty()) {
      report.warn("gltf.missing_image", place("image", i),
                  fmt::format("The image '{}' is missing and could not be embedded in the file.", uri));
      continue;
    }
    std::string mime = images[i].value("mimeType", "");
    if (mime.empty()) mime = sniff_image_type(*bytes);
    const Index view = add_view(*bytes, 0);
    images[i].erase("uri");
    if (!images[i].contains("name")) images[i]["name"] = std::filesystem::path(unescape_uri(uri)).stem().string();
    images[i]["mimeType"] = mime;
    images[i]["bufferView"] = view;
  }
}

Bytes DocumentEditor::join_buffers(const std::string& uri) {
  const std::size_t count = document_.buffer_count();
  std::vector<std::size_t> base(count, 0);
  std::vector<Index> number(count, 0);
  Bytes joined;
  Json buffers = Json::array({Json::object()});
  const Json& old = array_at(document_.json(), "buffers", "file");
  bool first = true;
  for (Index b = 0; b < count; ++b) {
    if (document_.buffer_is_fallback(b) && document_.buffer(b).empty()) {
      number[b] = static_cast<Index>(buffers.size());
      buffers.push_back(old[b]);
      continue;
    }
    joined.resize(aligned(joined.size(), first ? 1 : kBufferAlign));
    base[b] = joined.size();
    const auto bytes = document_.buffer(b).first(
        std::min<std::size_t>(document_.buffer(b).size(), old[b].value("byteLength", std::size_t{0})));
    joined.insert(joined.end(), bytes.begin(), bytes.end());
    for (const Patch& patch : patches_)
      if (patch.buffer == b) {
        if (patch.offset > bytes.size() || patch.bytes.size() > bytes.size() - patch.offset)
          throw Error("An accessor reaches beyond the end of its buffer.");
        std::copy(patch.bytes.begin(), patch.bytes.end(),
                  joined.begin() + static_cast<std::ptrdiff_t>(base[b] + patch.offset));
      }
    if (first) buffers[0] = old[b], first = false;
  }
  if (!added_.empty()) joined.resize(aligned(joined.size(), kBufferAlign));
  const std::size_t added_base = joined.size();
  joined.insert(joined.end(), added_.begin(), added_.end());

  const auto move = [&](Json& reference) {
    const auto b = reference["buffer"].get<Index>();
    if (number[b] == b && base[b] == 0) return;
    reference["buffer"] = number[b];
    if (base[b] != 0) reference["byteOffset"] = reference.value("byteOffset", std::size_t{0}) + base[b];
  };
  if (json.contains("bufferViews")) {
    Json& views = json["bufferViews"];
    for (Index v = 0; v < views.size(); ++v) {
      if (std::find(new_views_.begin(), new_views_.end(), v) != new_views_.end()) {
        views[v]["byteOffset"] = views[v]["byteOffset"].get<std::size_t>() + added_base;
        continue;
      }
      move(views[v]);
      if (views[v].contains("extensions") && views[v]["extensions"].contains(kMeshopt))
        move(views[v]["extensions"][kMeshopt]);
    }
  }
  buffers[0].erase("uri");
  if (buffers[0].contains("extensions")) buffers[0]["extensions"].erase(kMeshopt);
  if (!uri.empty() && !joined.empty()) buffers[0]["uri"] = uri;
  buffers[0]["byteLength"] = joined.size();
  if (joined.empty() && buffers.size() == 1) json.erase("buffers");
  else json["buffers"] = std::move(buffers);
  return joined;
}

}  // namespace sinew::io::gltf
