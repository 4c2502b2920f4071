// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/draco.h"

#include <fmt/format.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wextra"
#include <draco/compression/decode.h>
#pragma GCC diagnostic pop

#include <cstring>

#include "sinew/io/gltf/accessor.h"
#include "sinew/io/gltf/json_access.h"

namespace sinew::io::gltf {
namespace {

template <class T>
Bytes unpack_attribute(const draco::PointAttribute& attribute, std::size_t points, const AccessorInfo& info) {
  Bytes bytes(points * info.element_bytes);
  std::vector<T> element(info.components);
  for (std::size_t i = 0; i < points; ++i) {
    const auto value = attribute.mapped_index(draco::PointIndex(static_cast<std::uint32_t>(i)));
    if (!attribute.ConvertValue<T>(value, static_cast<std::int8_t>(info.components), element.data()))
      throw Error("Its Draco data does not match its accessors.");
    std::memcpy(bytes.data() + i * info.element_bytes, element.data(), info.components * sizeof(T));
  }
  return bytes;
}

Bytes unpack_attribute(const draco::PointAttribute& attribute, std::size_t points, const AccessorInfo& info) {
  switch (info.component) {
    case Component::kI8:
      return unpack_attribute<std::int8_t>(attribute, points, info);
    case Component::kU8:
      return unpack_attribute<std::uint8_t>(attribute, points, info);
    case Component::kI16:
      return unpack_attribute<std::int16_t>(attribute, points, info);
    case Component::kU16:
      return unpack_attribute<std::uint16_t>(attribute, points, info);
    case Component::kU32:
      return unpack_attribute<std::uint32_t>(attribute, points, info);
    case Component::kF32:
      return unpack_attribute<float>(attribute, points, info);
  }
  return {};
}

Bytes unpack_faces(const draco::Mesh& mesh, const AccessorInfo& info) {
  const std::size_t size = component_bytes(info.component);
  Bytes bytes(std::size_t{mesh.num_faces()} * 3 * size);
  std::byte* target = bytes.data();
  for (std::uint32_t f = 0; f < mesh.num_faces(); ++f)
    for (const draco::PointIndex& point : mesh.face(draco::FaceIndex(f))) {
      const std::uint32_t value = point.value();
      std::memcpy(target, &value, size);  // Little-endian: the low bytes come first.
      target += size;
    }
  return bytes;
}

}  // namespace

void decode_draco(GltfDocument& document, const Json& primitive, const std::string& where) {
  // Accessors of packed data may be shared by primitives that unpack to different data.
  document.clear_decoded();
  const Json& extensions = object_at(primitive, "extensions", where);
  if (!extensions.contains(kDraco)) return;
  const Json& extension = object_at(extensions, kDraco, where);
  const std::size_t accessors = array_at(document.json(), "accessors", "file").size();
  const Json& attributes = object_at(primitive, "attributes", where);
  const Index indices = index_at(primitive, "indices", accessors, where);

  const Index view =
      required_index(extension, "bufferView", array_at(document.json(), "bufferViews", "file").size(), where);
  const auto packed = document.view(view);
  // What it will hold is known before it is decoded.
  const Index position = index_at(attributes, "POSITION", accessors, where);
  if (position != kNone) document.claim(accessor_info(document, position).count * std::uint64_t{64});

  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(packed.data()), packed.size());
  const auto type = draco::Decoder::GetEncodedGeometryType(&buffer);
  if (!type.ok() || type.value() != draco::TRIANGULAR_MESH) throw Error(where + ": its Draco data is damaged.");
  draco::Decoder decoder;
  const auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
  if (!decoded.ok())
    throw Error(fmt::format("{}: its Draco data is damaged ({}).", where, decoded.status().error_msg_string()));
  const draco::Mesh& mesh = *decoded.value();

  const Json& ids = object_at(extension, "attributes", where);
  for (const auto& [name, id] : ids.items()) {
    const Index accessor = index_at(attributes, name.c_str(), accessors, where);
    if (accessor == kNone) continue;
    const auto* attribute = id.is_number_unsigned() ? mesh.GetAttributeByUniqueId(id.get<std::uint32_t>()) : nullptr;
    if (!attribute) throw Error(fmt::format("{}: its Draco data has no attribute {}.", where, name));
    const AccessorInfo info = accessor_info(document, accessor);
    if (info.count != mesh.num_points())
      throw Error(fmt::format("{}: its Draco data has {} vertices, but its accessor declares {}.", where,
                              mesh.num_points(), info.count));
    document.set_decoded(accessor, unpack_attribute(*attribute, mesh.num_points(), info));
  }
  if (indices != kNone) {
    const AccessorInfo info = accessor_info(document, indices);
    if (info.count != std::size_t{mesh.num_faces()} * 3 || info.component == Component::kF32)
      throw Error(where + ": its Draco triangles do not match its accessor.");
    document.set_decoded(indices, unpack_faces(mesh, info));
  }
}

}  // namespace sinew::io::gltf
