// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include "sinew/io/gltf/driver_extras.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/io/gltf/humanoid.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/node_constraint.h"
#include "sinew/io/gltf/scene.h"

namespace sinew::io {
namespace {

using namespace gltf;

// Extensions that change where vertices are, and that we read.
constexpr const char* kUnderstood[] = {"KHR_mesh_quantization", "EXT_meshopt_compression", "KHR_draco_mesh_compression",
                                       "FB_ngon_encoding"};
// Extensions that say how things look or who may use them: kept as they are.
constexpr const char* kHarmless[] = {"KHR_materials_",       "KHR_texture_", "EXT_texture_",      "MSFT_texture_",
                                     "KHR_lights_",          "EXT_lights_",  "KHR_xmp",           "VRM",
                                     "KHR_techniques_webgl", "KHR_audio",    "EXT_mesh_manifold", "MOZ_",
                                     "KHR_node_visibility"};

void check_version(const Json& json) {
  const Json& asset = object_at(json, "asset", "file");
  const std::string version = text_at(asset, "version", "asset");
  if (version.empty()) throw Error("It does not specify its glTF version, so it is not glTF 2.0.");
  if (!version.starts_with("2.")) throw Error(fmt::format("It is glTF {}; only 2.0 can be read.", version));
}

void check_extensions(const Json& json) {
  for (const Json& name : array_at(json, "extensionsRequired", "file")) {
    if (!name.is_string()) throw Error("Its list of required extensions contains a value that is not a string.");
    const auto& text = name.get_ref<const std::string&>();
    bool known = false;
    for (const char* word : kUnderstood) known = known || text == word;
    for (const char* word : kHarmless) known = known || text.starts_with(word);
    if (!known) throw Error(fmt::format("It requires the extension {}, which Sinew does not support.", text));
  }
}

std::string vrm_version(const Json& json) {
  const Json& extensions = object_at(json, "extensions", "file");
  if (extensions.contains("VRMC_vrm")) return "1.0";
  return extensions.contains("VRM") ? "0.x" : "";
}

Json describe_contents(const Json& json) {
  Json contents;
  const std::string generator = text_at(object_at(json, "asset", "file"), "generator", "asset");
  if (!generator.empty()) contents["generator"] = generator;
  if (const std::string vrm = vrm_version(json); !vrm.empty()) contents["vrm"] = vrm;
  for (const char* list :
       {"scenes", "nodes", "meshes", "materials", "textures", "images", "cameras", "skins", "animations"})
    contents[list] = array_at(json, list, "file").size();
  contents["extensions_used"] = array_at(json, "extensionsUsed", "file");
  contents["extensions_required"] = array_at(json, "extensionsRequired", "file");
  return contents;
}

}  // namespace

Asset read_gltf(const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
  auto document = std::make_shared<GltfDocument>();
  document->path = path;
  document->file = std::move(bytes);
  document->container = parse_container(document->file);
  document->warnings = document->container.warnings;
  check_version(document->json());
  check_extensions(document->json());
  progress.step("buffers");
  document->load_buffers();

  Asset asset;
  asset.format = "gltf";
  asset.states_space = true;
  asset.contents = describe_contents(document->json());
  NodeGraph graph = read_nodes(*document);
  read_skeleton(*document, graph, asset.character);
  read_humanoid_roles(*document, graph, asset.character.rig.skeleton);
  read_springs(*document, graph, asset.character.rig.skeleton);
  for (Finding& finding : read_joint_extras(*document, graph, asset.character)) document->warnings.push_back(finding);
  for (Finding& finding : read_drivers(*document, graph, asset.character)) document->warnings.push_back(finding);
  for (Finding& finding : read_constraints(*document, graph, asset.character)) document->warnings.push_back(finding);
  read_materials(*document, asset.character);
  const std::vector<Mat4> skin_to_model = read_skins(*document, graph, asset.character);
  progress.step("meshes");
  read_meshes(*document, graph, skin_to_model, asset.character, progress);
  document->colors = asset.character.rig.mesh.colors;
  progress.step("clips");
  read_clips(*document, graph, asset.character);

  asset.character.name = path.stem().string();
  asset.warnings = document->warnings;
  asset.files = document->files;
  document->release_decoded();
  asset.document = std::move(document);
  return asset;
}

}  // namespace sinew::io
