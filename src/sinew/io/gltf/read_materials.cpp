// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/scene.h"

namespace sinew::io::gltf {
namespace {

// The picture behind a texture reference, also where an extension offers a better-packed one.
Index image_of(const Json& root, const Json& owner, const char* key, const std::string& where) {
  const Json& reference = object_at(owner, key, where);
  const Json& textures = array_at(root, "textures", "file");
  const std::size_t images = array_at(root, "images", "file").size();
  const Index texture = index_at(reference, "index", textures.size(), where);
  if (texture == kNone) return kNone;
  const Json& json = element_at(textures, texture, where);
  if (const Index image = index_at(json, "source", images, where); image != kNone) return image;
  for (const char* extension : {"EXT_texture_webp", "KHR_texture_basisu", "EXT_texture_avif"}) {
    const Json& other = object_at(object_at(json, "extensions", where), extension, where);
    if (const Index image = index_at(other, "source", images, where); image != kNone) return image;
  }
  return kNone;
}

Material read_material(const Json& root, const Json& json, std::size_t index) {
  const std::string where = place("material", index);
  Material material;
  material.name = name_of(json, "material", index);
  const Json& pbr = object_at(json, "pbrMetallicRoughness", where);
  std::array<double, 4> color = {1, 1, 1, 1};
  numbers_at(pbr, "baseColorFactor", color, where);
  material.base_color = Vec4(color[0], color[1], color[2], color[3]).cast<float>();
  material.metallic = static_cast<float>(number_at(pbr, "metallicFactor", 1, where));
  material.roughness = static_cast<float>(number_at(pbr, "roughnessFactor", 1, where));
  material.base_color_image = image_of(root, pbr, "baseColorTexture", where);
  material.normal_image = image_of(root, json, "normalTexture", where);
  material.emissive_image = image_of(root, json, "emissiveTexture", where);
  std::array<double, 3> emissive = {0, 0, 0};
  numbers_at(json, "emissiveFactor", emissive, where);
  material.emissive = Vec3(emissive[0], emissive[1], emissive[2]).cast<float>();
  const std::string alpha = text_at(json, "alphaMode", where);
  material.alpha = alpha == "MASK"    ? Material::Alpha::kMask
                   : alpha == "BLEND" ? Material::Alpha::kBlend
                                      : Material::Alpha::kOpaque;
  material.alpha_cutoff = static_cast<float>(number_at(json, "alphaCutoff", 0.5, where));
  material.double_sided = flag_at(json, "doubleSided", false, where);
  return material;
}

}  // namespace

void read_materials(GltfDocument& document, Character& character) {
  const Json& root = document.json();
  const Json& materials = array_at(root, "materials", "file");
  for (std::size_t m = 0; m < materials.size(); ++m)
    character.materials.push_back(read_material(root, element_at(materials, m, place("material", m)), m));
  const Json& images = array_at(root, "images", "file");
  for (Index i = 0; i < images.size(); ++i) {
    const std::string where = place("image", i);
    const Json& json = element_at(images, i, where);
    Image image;
    image.name = name_of(json, "image", i);
    image.uri = text_at(json, "uri", where);
    if (image.uri.starts_with("data:")) image.uri.clear();
    image.bytes = document.image_bytes(i);
    image.mime_type = text_at(json, "mimeType", where);
    if (image.mime_type.empty()) image.mime_type = sniff_image_type(image.bytes);
    character.images.push_back(std::move(image));
  }
}

}  // namespace sinew::io::gltf
