// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/morph_targets.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sinew::io::gltf {
namespace {

constexpr int kTargetOfVertices = 34962;

// Three numbers as a file holds them.
using Raw = std::array<double, 3>;

double largest_of(Component component) {
  return component == Component::kI8 ? 127.0 : component == Component::kI16 ? 32767.0 : 0.0;
}

Raw raw_of(const Vec3f& value, double largest) {
  Raw raw;
  for (int c = 0; c < 3; ++c) {
    const auto number = static_cast<double>(value[c]);
    raw[static_cast<std::size_t>(c)] =
        largest > 0 ? std::round(std::clamp(number, -1.0, 1.0) * largest) : (number == 0 ? 0.0 : number);
  }
  return raw;
}

void append(Bytes& bytes, const Raw& raw, Component component, std::size_t stride) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + stride, std::byte{0});
  std::byte* target = bytes.data() + begin;
  for (const double number : raw) {
    const auto put = [&](auto value) {
      std::memcpy(target, &value, sizeof value);
      target += sizeof value;
    };
    if (component == Component::kI8) put(static_cast<std::int8_t>(number));
    else if (component == Component::kI16) put(static_cast<std::int16_t>(number));
    else put(static_cast<float>(number));
  }
}

void set_bounds(Json& accessor, std::span<const Raw> values) {
  Raw low = values.front(), high = low;
  for (const Raw& value : values)
    for (std::size_t c = 0; c < 3; ++c) low[c] = std::min(low[c], value[c]), high[c] = std::max(high[c], value[c]);
  accessor["min"] = low;
  accessor["max"] = high;
}

// The elements that are not zero, and their numbers.
Json sparse_part(DocumentEditor& editor, std::span<const Raw> values, std::span<const std::uint32_t> moving,
                 Component component) {
  const bool wide = moving.back() > 0xFFFF;
  Bytes indices, elements;
  for (const std::uint32_t i : moving) {
    const std::size_t begin = indices.size(), size = wide ? 4 : 2;
    indices.resize(begin + size);
    std::memcpy(indices.data() + begin, &i, size);  // The low bytes come first.
    append(elements, values[i], component, 3 * component_bytes(component));
  }
  const Index index_view = editor.add_view(indices, 0), value_view = editor.add_view(elements, 0);
  return {{"count", moving.size()},
          {"indices", {{"bufferView", index_view}, {"componentType", wide ? 5125 : 5123}}},
          {"values", {{"bufferView", value_view}}}};
}

}  // namespace

Index add_displacements(DocumentEditor& editor, std::span<const Vec3f> values, Component component, bool bounds,
                        bool* sparse) {
  const double largest = largest_of(component);
  std::vector<Raw> raw;
  raw.reserve(values.size());
  std::vector<std::uint32_t> moving;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    raw.push_back(raw_of(values[i], largest));
    if (raw.back() != Raw{0, 0, 0}) moving.push_back(i);
  }
  Json accessor = {{"componentType", static_cast<int>(component)}, {"count", values.size()}, {"type", "VEC3"}};
  if (largest > 0) accessor["normalized"] = true;
  if (bounds) set_bounds(accessor, raw);
  const std::size_t tight = 3 * component_bytes(component), stride = (tight + 3) / 4 * 4;
  const std::size_t index_bytes = values.size() > 0x10000 ? 4 : 2;
  const bool shorter = moving.size() * (tight + index_bytes) + 300 < values.size() * stride;  // 300: its description.
  if (sparse != nullptr) *sparse = shorter || moving.empty();
  if (moving.empty()) {
    // An accessor without data is all zeros.
  } else if (shorter) {
    accessor["sparse"] = sparse_part(editor, raw, moving, component);
  } else {
    Bytes bytes;
    bytes.reserve(values.size() * stride);
    for (const Raw& value : raw) append(bytes, value, component, stride);
    const Index view = editor.add_view(bytes, kTargetOfVertices);
    if (stride != tight) editor.json["bufferViews"][view]["byteStride"] = stride;
    accessor["bufferView"] = view;
  }
  Json& accessors = editor.list("accessors");
  accessors.push_back(std::move(accessor));
  return static_cast<Index>(accessors.size() - 1);
}

Component normal_displacements(std::span<const Vec3f> from, std::span<const Vec3f> to, std::vector<Vec3f>& values) {
  constexpr float kShortest = 0.5F;
  bool bytes = true;
  values.assign(from.size(), Vec3f::Zero());
  std::vector<float> lengths(from.size(), 0.0F);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!to[i].allFinite() || to[i].squaredNorm() < 0.25F || !from[i].allFinite()) continue;
    // The longest that keeps every number in ±1.
    float length = 1;
    for (int c = 0; c < 3; ++c)
      if (to[i][c] != 0)
        length = std::min(length, (1 + from[i][c] * (to[i][c] > 0 ? 1.0F : -1.0F)) / std::abs(to[i][c]));
    lengths[i] = length;
    bytes = bytes && length >= kShortest;
  }
  for (std::size_t i = 0; i < from.size(); ++i)
    if (lengths[i] != 0) values[i] = (bytes ? lengths[i] : 1.0F) * to[i] - from[i];
  return bytes ? Component::kI8 : Component::kF32;
}

}  // namespace sinew::io::gltf
