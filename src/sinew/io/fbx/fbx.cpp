// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/fbx.h"

#include "sinew/io/assimp/build.h"
#include "sinew/io/assimp/reader.h"
#include "sinew/io/fbx/import.h"

namespace sinew::io {
namespace {

constexpr std::uint32_t kFirstFbxVersion = 7100, kLastFbxVersion = 7700;

}  // namespace

Asset read_fbx(const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
  const auto version = fbx::binary_version(bytes);
  if (!version || *version < kFirstFbxVersion || *version > kLastFbxVersion)
    return read_assimp(path, std::move(bytes), progress);
  const fbx::Record root = fbx::parse_records(bytes);
  fbx::Import import(root, bytes.size());
  progress.step("scene");
  fbx::read_facts(root, *version, import);
  fbx::read_nodes(import);
  fbx::read_materials(import);
  fbx::read_meshes(import);
  progress.check();
  fbx::read_clips(import);
  import.scene.exact = true;
  check_scene(import.scene);
  Asset asset = assimp::build_asset(std::move(import.scene), path, progress);
  asset.warnings.insert(asset.warnings.end(), import.warnings.begin(), import.warnings.end());
  return asset;
}

}  // namespace sinew::io
