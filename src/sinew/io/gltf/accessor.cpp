// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/accessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sinew/io/gltf/json_access.h"

namespace sinew::io::gltf {
namespace {

struct Shape {
  const char* name;
  std::size_t rows;
  std::size_t columns;
};
constexpr Shape kShapes[] = {{"SCALAR", 1, 1}, {"VEC2", 2, 1}, {"VEC3", 3, 1}, {"VEC4", 4, 1},
                             {"MAT2", 2, 2},   {"MAT3", 3, 3}, {"MAT4", 4, 4}};

const Shape& shape_of(const std::string& type, const std::string& where) {
  for (const Shape& shape : kShapes)
    if (type == shape.name) return shape;
  throw Error(fmt::format("{}: '{}' is not an element type.", where, type));
}

// Columns of a matrix begin at multiples of four bytes.
std::size_t column_stride(const Shape& shape, Component component) {
  const std::size_t bytes = shape.rows * component_bytes(component);
  return shape.columns > 1 ? (bytes + 3) / 4 * 4 : bytes;
}

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class Out>
Out convert(const std::byte* bytes, Component component, bool normalized) {
  const auto scaled = [&](float value, float range) {
    return static_cast<Out>(normalized ? std::max(value / range, -1.0F) : value);
  };
  if constexpr (std::is_same_v<Out, float>) {
    switch (component) {
      case Component::kI8:
        return scaled(load<std::int8_t>(bytes), 127.0F);
      case Component::kU8:
        return scaled(load<std::uint8_t>(bytes), 255.0F);
      case Component::kI16:
        return scaled(load<std::int16_t>(bytes), 32767.0F);
      case Component::kU16:
        return scaled(load<std::uint16_t>(bytes), 65535.0F);
      case Component::kU32:
        return static_cast<float>(load<std::uint32_t>(bytes));
      case Component::kF32:
        return load<float>(bytes);
    }
  } else {
    switch (component) {
      case Component::kI8:
        return static_cast<Out>(load<std::int8_t>(bytes));
      case Component::kU8:
        return load<std::uint8_t>(bytes);
      case Component::kI16:
        return static_cast<Out>(load<std::int16_t>(bytes));
      case Component::kU16:
        return load<std::uint16_t>(bytes);
      case Component::kU32:
        return load<std::uint32_t>(bytes);
      case Component::kF32:
        break;
    }
  }
  return Out{};
}

std::span<const std::byte> view_bytes(GltfDocument& document, const Json& owner, const std::string& where) {
  const std::size_t views = array_at(document.json(), "bufferViews", "file").size();
  return document.view(required_index(owner, "bufferView", views, where));
}

Elements locate(GltfDocument& document, const Json& json, const AccessorInfo& info, Index index) {
  const std::string where = place("accessor", index);
  if (const Bytes* bytes = document.decoded(index)) {
    if (bytes->size() / info.element_bytes < info.count)
      throw Error(where + ": its compressed data has too few elements.");
    return {bytes->data(), info.element_bytes, info.count};
  }
  if (!json.contains("bufferView")) return {nullptr, 0, info.count};
  const auto bytes = view_bytes(document, json, where);
  const Json& view = array_at(document.json(), "bufferViews", "file")[json["bufferView"].get<std::size_t>()];
  std::size_t stride = size_at(view, "byteStride", 0, where);
  if (stride == 0) stride = info.element_bytes;
  const std::uint64_t offset = size_at(json, "byteOffset", 0, where);
  if (stride > 65536 || (info.count > 1 && stride < info.element_bytes))
    throw Error(fmt::format("{}: a stride of {} bytes is invalid.", where, stride));
  if (info.count > 0) {
    const std::uint64_t end = offset + (info.count - 1) * stride + info.element_bytes;
    if (offset > bytes.size() || end > bytes.size())
      throw Error(fmt::format("{} needs {} bytes of a buffer view, which has only {}.", where, end, bytes.size()));
  }
  return {bytes.data() + offset, stride, info.count};
}

template <class Out>
void unpack(const Elements& elements, const AccessorInfo& info, const Shape& shape, std::vector<Out>& out) {
  const std::size_t column = column_stride(shape, info.component), step = component_bytes(info.component);
  Out* target = out.data();
  for (std::size_t i = 0; i < elements.count; ++i)
    for (std::size_t c = 0; c < shape.columns; ++c)
      for (std::size_t r = 0; r < shape.rows; ++r)
        *target++ =
            convert<Out>(elements.data + i * elements.stride + c * column + r * step, info.component, info.normalized);
}

template <class Out>
void apply_sparse(GltfDocument& document, const Json& json, const AccessorInfo& info, const Shape& shape,
                  const std::string& where, std::vector<Out>& out) {
  const Json& sparse = object_at(json, "sparse", where);
  const std::uint64_t count = size_at(sparse, "count", 0, where);
  const Json& indices = object_at(sparse, "indices", where);
  const Json& values = object_at(sparse, "values", where);
  const auto type = static_cast<Component>(size_at(indices, "componentType", 0, where));
  if (type != Component::kU8 && type != Component::kU16 && type != Component::kU32)
    throw Error(where + ": its sparse indices have an invalid type.");
  const auto index_bytes = view_bytes(document, indices, where);
  const auto value_bytes = view_bytes(document, values, where);
  const std::uint64_t index_offset = size_at(indices, "byteOffset", 0, where);
  const std::uint64_t value_offset = size_at(values, "byteOffset", 0, where);
  const std::size_t index_size = component_bytes(type);
  if (count > info.count || index_offset > index_bytes.size() || value_offset > value_bytes.size() ||
      count * index_size > index_bytes.size() - index_offset ||
      count * info.element_bytes > value_bytes.size() - value_offset)
    throw Error(where + ": its sparse values extend beyond their buffer view.");
  std::vector<Out> replacement(count * info.components);
  unpack({value_bytes.data() + value_offset, info.element_bytes, count}, info, shape, replacement);
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = convert<std::uint32_t>(index_bytes.data() + index_offset + i * index_size, type, false);
    if (element >= info.count)
      throw Error(fmt::format("{}: its sparse values replace element {}, which does not exist.", where, element));
    std::copy_n(replacement.begin() + static_cast<std::ptrdiff_t>(i * info.components), info.components,
                out.begin() + static_cast<std::ptrdiff_t>(element * info.components));
  }
}

template <class Out>
std::vector<Out> read(GltfDocument& document, Index index, std::size_t components) {
  const std::string where = place("accessor", index);
  const AccessorInfo info = accessor_info(document, index);
  if (components != 0 && info.components != components)
    throw Error(
        fmt::format("{} has the type {}, but {} numbers per element are needed.", where, info.type, components));
  const Json& json = array_at(document.json(), "accessors", "file")[index];
  const Shape& shape = shape_of(info.type, where);
  const Elements elements = locate(document, json, info, index);
  document.claim(info.count * info.components * sizeof(Out));
  std::vector<Out> out(info.count * info.components);
  if (elements.data) unpack(elements, info, shape, out);
  if (json.contains("sparse")) apply_sparse(document, json, info, shape, where, out);
  return out;
}

}  // namespace

std::size_t component_bytes(Component component) {
  switch (component) {
    case Component::kI8:
    case Component::kU8:
      return 1;
    case Component::kI16:
    case Component::kU16:
      return 2;
    case Component::kU32:
    case Component::kF32:
      return 4;
  }
  return 0;
}

AccessorInfo accessor_info(const GltfDocument& document, Index index) {
  const std::string where = place("accessor", index);
  const Json& json = element_at(array_at(document.json(), "accessors", "file"), index, where);
  AccessorInfo info;
  info.component = static_cast<Component>(std::min<std::uint64_t>(size_at(json, "componentType", 0, where), 10000));
  if (component_bytes(info.component) == 0) throw Error(where + ": its component type is unknown.");
  info.type = text_at(json, "type", where);
  const Shape& shape = shape_of(info.type, where);
  info.components = shape.rows * shape.columns;
  info.element_bytes = column_stride(shape, info.component) * shape.columns;
  const std::uint64_t count = size_at(json, "count", 0, where);
  if (count >= kNone) throw Error(fmt::format("{} declares {} elements, which is too many.", where, count));
  info.count = count;
  info.normalized = flag_at(json, "normalized", false, where);
  return info;
}

std::vector<float> read_floats(GltfDocument& document, Index accessor, std::size_t components) {
  return read<float>(document, accessor, components);
}

std::vector<std::uint32_t> read_integers(GltfDocument& document, Index accessor, std::size_t components) {
  if (accessor_info(document, accessor).component == Component::kF32)
    throw Error(place("accessor", accessor) + " contains floats, but whole numbers are needed.");
  return read<std::uint32_t>(document, accessor, components);
}

}  // namespace sinew::io::gltf
