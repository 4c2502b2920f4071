// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "sinew/io/assimp/build.h"
#include "sinew/io/reach.h"
#include "sinew/io/text/obj_files.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io::assimp {
namespace {

// What Assimp calls the material that it makes where a file has none.
constexpr const char* kMadeUpMaterial = "DefaultMaterial";

bool has_texture(const SceneTextureUse& use) { return use.embedded != kNone || !use.path.empty(); }

float share(float value, float fallback) { return std::isfinite(value) ? std::clamp(value, 0.0F, 1.0F) : fallback; }

std::string last_name(const std::string& path) { return path.substr(path.find_last_of("/\\:") + 1); }

class Pictures {
 public:
  Pictures(const Scene& scene, const std::filesystem::path& path, Asset& asset)
      : scene_(scene), path_(path), asset_(asset) {}

  Index find(const SceneTextureUse& use, const std::string& material) {
    if (!has_texture(use)) return kNone;
    const std::string key = use.embedded != kNone ? fmt::format("*{}", use.embedded) : use.path;
    const auto known = by_key_.find(key);
    if (known != by_key_.end()) return known->second;
    const Index index = use.embedded != kNone ? embedded(use, material) : beside(use.path, material);
    by_key_.emplace(key, index);
    return index;
  }

 private:
  void warn(const char* code, const std::string& material, std::string text) {
    asset_.warnings.push_back({code, material, std::move(text)});
  }

  Index add(Image image, const std::string& material) {
    auto& images = asset_.character.images;
    for (Index i = 0; i < images.size(); ++i)
      if (images[i].bytes == image.bytes) return i;
    image.mime_type = sniff_image_type(image.bytes);
    if (image.mime_type.empty())
      warn("assimp.texture_type", material,
           fmt::format("The texture '{}' is not a PNG, a JPEG or another image type that Sinew knows; other file "
                       "formats may not be able to store it.",
                       image.name));
    images.push_back(std::move(image));
    return static_cast<Index>(images.size() - 1);
  }

  Index embedded(const SceneTextureUse& use, const std::string& material) {
    const SceneTexture& texture = scene_.textures[use.embedded];
    Image image;
    image.name =
        to_utf8(std::filesystem::path(last_name(texture.name.empty() ? use.path : texture.name)).stem().string());
    image.bytes = texture.bytes;
    if (image.bytes.empty()) {
      warn("assimp.missing_texture", material,
           fmt::format("The texture '{}' in the file is empty or consists of raw pixels, which are not read.",
                       image.name));
      return kNone;
    }
    return add(std::move(image), material);
  }

  // Paths come from other people's machines: the name alone counts where the path leads nowhere.
  std::optional<std::filesystem::path> look(const std::string& name) const {
    if (const auto given = find_given_texture(name)) return given;
    const std::filesystem::path folder = path_.parent_path();
    std::vector<std::filesystem::path> places = {folder};
    for (const std::string& inner : {std::string("textures"), std::string("Textures"), path_.stem().string() + ".fbm",
                                     std::string("../textures"), std::string("../Textures")})
      places.push_back(folder / inner);
    for (const std::filesystem::path& place : places)
      if (const auto found = find_beside(place, name, folder)) return found;
    return std::nullopt;
  }

  Index beside(const std::string& name, const std::string& material) {
    const auto found = look(name);
    if (!found) {
      warn("assimp.missing_texture", material,
           fmt::format("The texture '{}' {}.", to_utf8(last_name(name)), lost_file_advice(path_.parent_path(), name)));
      return kNone;
    }
    Image image;
    try {
      image.bytes = read_file(*found);
    } catch (const Error& error) {
      warn("assimp.missing_texture", material, error.what());
      return kNone;
    }
    image.name = to_utf8(found->stem().string());
    image.uri = to_utf8(name);
    asset_.files.push_back(describe(*found, image.bytes));
    return add(std::move(image), material);
  }

  const Scene& scene_;
  const std::filesystem::path& path_;
  Asset& asset_;
  std::map<std::string, Index> by_key_;
};

float roughness_of(const SceneMaterial& from) {
  if (from.roughness >= 0) return share(from.roughness, 1);
  // A Phong exponent; COLLADA files also write it as a share of 128.
  if (from.shininess > 0 && std::isfinite(from.shininess)) return std::sqrt(2 / (from.shininess + 2));
  return 1;
}

Material convert(const SceneMaterial& from, const FormatTraits& traits, Pictures& pictures, Asset& asset) {
  Material to;
  to.name = to_utf8(from.name);
  for (int i = 0; i < 3; ++i) {
    to.base_color[i] = share(from.diffuse[i], 1);
    to.emissive[i] = share(from.emissive[i], 0);
  }
  // A texture stands in for the colour in FBX and COLLADA; others multiply, and some write black beside one.
  const bool textured = has_texture(from.base_color);
  if (textured && (traits.fbx || traits.collada || to.base_color.head<3>().isZero())) to.base_color.head<3>().setOnes();
  if (has_texture(from.emission) && to.emissive.isZero()) to.emissive.setOnes();
  float alpha = share(from.opacity, 1);
  if (alpha == 0) {
    // Writers do not agree whether 1 means clear or opaque, and nobody ships a surface that cannot be seen.
    asset.warnings.push_back({"assimp.opacity", to.name, "It would be fully transparent; it is treated as opaque."});
    alpha = 1;
  }
  to.base_color[3] = alpha;
  if (alpha < 1) to.alpha = Material::Alpha::kBlend;
  to.roughness = roughness_of(from);
  to.metallic = from.metallic >= 0 ? share(from.metallic, 0) : 0;
  // FBX has no one-sided surfaces unless a node asks for culling.
  to.double_sided = from.two_sided == 1 || (from.two_sided == 2 && traits.fbx);
  to.base_color_image = pictures.find(from.base_color, to.name);
  to.normal_image = pictures.find(from.normal, to.name);
  to.emissive_image = pictures.find(from.emission, to.name);
  if (has_texture(from.alpha)) {
    if (from.alpha.path == from.base_color.path && from.alpha.embedded == from.base_color.embedded) {
      if (to.base_color_image != kNone) to.alpha = Material::Alpha::kBlend;
    } else {
      asset.warnings.push_back({"assimp.alpha_texture", to.name,
                                fmt::format("Its transparency is a separate image, '{}', which is not kept.",
                                            to_utf8(last_name(from.alpha.path)))});
    }
  }
  return to;
}

}  // namespace

std::vector<Index> build_materials(const Scene& scene, const FormatTraits& traits, const std::filesystem::path& path,
                                   Asset& asset) {
  Pictures pictures(scene, path, asset);
  std::vector<Index> numbers(scene.materials.size(), kNone);
  std::vector<bool> used(scene.materials.size(), false);
  for (const SceneMesh& mesh : scene.meshes) {
    if (mesh.face_materials.empty() && mesh.material != kNone) used[mesh.material] = true;
    for (const Index material : mesh.face_materials)
      if (material != kNone) used[material] = true;
  }
  const bool mapped =
      std::any_of(scene.meshes.begin(), scene.meshes.end(), [](const SceneMesh& mesh) { return !mesh.uvs.empty(); });
  std::uint64_t unmapped = 0;
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    SceneMaterial material = scene.materials[m];
    for (SceneTextureUse* use : {&material.base_color, &material.normal, &material.emission, &material.alpha})
      if (!mapped && has_texture(*use)) *use = {}, ++unmapped;
    const bool made_up = !scene.exact && material.name == kMadeUpMaterial && !has_texture(material.base_color);
    if (traits.plain_solid || !used[m] || made_up) continue;
    numbers[m] = static_cast<Index>(asset.character.materials.size());
    asset.character.materials.push_back(convert(material, traits, pictures, asset));
  }
  if (unmapped > 0)
    asset.warnings.push_back({"assimp.no_texture_coordinates", "",
                              "It names textures, but its meshes have no texture coordinates (the file may describe a "
                              "projection, which is not read); the textures are left out."});
  return numbers;
}

}  // namespace sinew::io::assimp
