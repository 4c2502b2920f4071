// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Materials, textures and the pictures inside the file. Programs name the properties of physically based materials
// after themselves.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sinew/io/fbx/import.h"

namespace sinew::io::fbx {
namespace {

using assimp::SceneMaterial;
using assimp::SceneTextureUse;
using Names = std::initializer_list<std::string_view>;

constexpr std::array<std::string_view, 5> kBaseColorMaps = {
    "DiffuseColor", "3dsMax|Parameters|base_color_map", "Maya|TEX_color_map", "Maya|baseColor", "Maya|DiffuseTexture"};
constexpr std::array<std::string_view, 4> kNormalMaps = {"NormalMap", "Maya|TEX_normal_map", "Maya|normalCamera",
                                                         "Maya|NormalTexture"};
constexpr std::array<std::string_view, 4> kEmissionMaps = {"EmissiveColor", "3dsMax|Parameters|emit_color_map",
                                                           "Maya|TEX_emissive_map", "Maya|emissionColor"};
constexpr std::array<std::string_view, 2> kOpacityMaps = {"TransparentColor", "TransparencyFactor"};

std::optional<Vec3> first_color(const Properties& properties, Names names) {
  for (const std::string_view name : names)
    if (const auto color = properties.vector(name)) return color;
  return std::nullopt;
}

double first_number(const Properties& properties, Names names, double fallback) {
  for (const std::string_view name : names)
    if (properties.has(name)) return properties.number(name, fallback);
  return fallback;
}

// A colour times its factor.
std::optional<Vec3> factored(const Properties& properties, std::string_view color, std::string_view factor) {
  const auto value = properties.vector(color);
  return value ? std::optional<Vec3>(*value * properties.number(factor, 1)) : std::nullopt;
}

double opacity_of(const Properties& properties) {
  if (properties.has("Opacity")) return properties.number("Opacity", 1);
  // Programs disagree about the factor alone; together with the colour it has one meaning.
  const auto clear = factored(properties, "TransparentColor", "TransparencyFactor");
  return clear ? 1 - clear->mean() : 1;
}

// As stated or, as Blender and Assimp convert it, by the Phong exponent; negative without either.
double roughness_of(const Properties& properties) {
  const double stated =
      first_number(properties, {"3dsMax|Parameters|roughness", "Maya|roughness", "Maya|specularRoughness"}, -1);
  const double exponent = first_number(properties, {"ShininessExponent", "Shininess"}, -1);
  if (stated >= 0 || !(exponent >= 0)) return stated;
  return 1 - std::sqrt(std::min(exponent, 100.0) / 100);
}

class Textures {
 public:
  explicit Textures(Import& import) : import_(import) {}

  template <std::size_t N>
  SceneTextureUse use(Index material, const std::array<std::string_view, N>& properties) {
    for (const std::string_view property : properties)
      for (const Link& link : import_.objects.children(material))
        if (link.property == property)
          if (const Index texture = texture_of(link.object); texture != kNone) return read(texture);
    return {};
  }

 private:
  // Of a layered texture the first layer counts.
  Index texture_of(Index object) const {
    const Objects& objects = import_.objects;
    if (objects[object].kind == "Texture") return object;
    if (objects[object].kind != "LayeredTexture") return kNone;
    const std::vector<Index> layers = objects.children(object, "Texture");
    return layers.empty() ? kNone : layers.front();
  }

  static std::string path_in(const Record& record) {
    for (const std::string_view name : {"RelativeFilename", "FileName", "Filename"})
      if (const Value* value = record.child_value(name); value != nullptr && !value->text().empty())
        return std::string(value->text());
    return "";
  }

  SceneTextureUse read(Index texture) {
    SceneTextureUse result;
    result.path = path_in(*import_.objects[texture].record);
    for (const Index video : import_.objects.children(texture, "Video")) {
      if (result.path.empty()) result.path = path_in(*import_.objects[video].record);
      result.embedded = embed(video);
    }
    return result;
  }

  // The picture of a video object, or kNone if its file is elsewhere.
  Index embed(Index video) {
    const auto [entry, added] = embedded_.try_emplace(video, kNone);
    if (!added) return entry->second;
    const Record& record = *import_.objects[video].record;
    const Value* content = record.child_value("Content");
    if (content == nullptr || content->text().empty()) return kNone;
    entry->second = static_cast<Index>(import_.scene.textures.size());
    assimp::SceneTexture& texture = import_.scene.textures.emplace_back();
    texture.name = path_in(record);
    texture.bytes.assign(content->bytes.begin(), content->bytes.end());
    return entry->second;
  }

  Import& import_;
  std::map<Index, Index> embedded_;
};

SceneMaterial read_material(Index object, Import& import, Textures& textures) {
  const Properties properties = import.objects.properties(object);
  SceneMaterial material;
  material.name = import.objects[object].name;
  auto base = first_color(properties, {"3dsMax|Parameters|base_color", "Maya|base_color", "Maya|baseColor"});
  if (!base) base = factored(properties, "DiffuseColor", "DiffuseFactor");
  if (!base) base = properties.vector("Diffuse");
  if (base) material.diffuse.head<3>() = base->cast<float>();
  auto glow = factored(properties, "EmissiveColor", "EmissiveFactor");
  if (!glow) glow = properties.vector("Emissive");
  if (glow) material.emissive = glow->cast<float>();
  material.opacity = static_cast<float>(opacity_of(properties));
  material.roughness = static_cast<float>(roughness_of(properties));
  material.metallic = static_cast<float>(
      first_number(properties, {"3dsMax|Parameters|metalness", "Maya|metallic", "Maya|metalness"}, -1));
  material.base_color = textures.use(object, kBaseColorMaps);
  material.normal = textures.use(object, kNormalMaps);
  material.emission = textures.use(object, kEmissionMaps);
  material.alpha = textures.use(object, kOpacityMaps);
  return material;
}

}  // namespace

void read_materials(Import& import) {
  import.material_of.assign(import.objects.size(), kNone);
  Textures textures(import);
  for (Index object = 1; object < import.objects.size(); ++object) {
    if (import.objects[object].kind != "Material") continue;
    SceneMaterial material = read_material(object, import, textures);
    import.material_of[object] = static_cast<Index>(import.scene.materials.size());
    import.scene.materials.push_back(std::move(material));
  }
}

}  // namespace sinew::io::fbx
