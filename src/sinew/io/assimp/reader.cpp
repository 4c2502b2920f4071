// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/assimp/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "sinew/core/text.h"
#include "sinew/io/assimp/build.h"
#include "sinew/io/assimp/confinement.h"
#include "sinew/io/reach.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace assimp {
namespace {

void describe_scene(const Scene& scene, Asset& asset) {
  Json& contents = asset.contents;
  if (!scene.facts.generator.empty()) contents["generator"] = to_utf8(scene.facts.generator);
  if (!scene.facts.format_version.empty()) contents["format_version"] = to_utf8(scene.facts.format_version);
  contents["nodes"] = scene.nodes.size();
  contents["meshes"] = scene.meshes.size();
  contents["materials"] = scene.materials.size();
  contents["embedded_textures"] = scene.textures.size();
  contents["animations"] = scene.clips.size();
  contents["cameras"] = scene.facts.cameras;
  contents["lights"] = scene.facts.lights;
}

void tell_order(const FormatTraits& traits, bool exact, Asset& asset) {
  if (asset.character.rig.mesh.vertex_count() == 0 || traits.plain_solid || traits.keep_vertices || exact) return;
  asset.warnings.push_back({"vertex_order", "",
                            "The vertices are merged by position and have Assimp's order, which may differ from the "
                            "file's; other programs may number them differently."});
}

}  // namespace

FormatTraits traits_of(const std::filesystem::path& path) {
  const std::string ending = lower_case(path.extension().string());
  FormatTraits traits;
  traits.fbx = ending == ".fbx";
  traits.collada = ending == ".dae" || ending == ".zae";
  traits.plain_solid = ending == ".stl";
  traits.keep_vertices = ending == ".iqm";
  return traits;
}

Asset build_asset(Scene scene, const std::filesystem::path& path, const Progress& progress) {
  const FormatTraits traits = traits_of(path);
  Asset asset;
  asset.character.name = to_utf8(path.stem().string());
  describe_scene(scene, asset);
  Layout layout = lay_out(scene, traits, asset);
  build_skeleton(scene, layout, asset);
  const std::vector<Index> materials = build_materials(scene, traits, path, asset);
  progress.step("meshes");
  const std::vector<PartOfMesh> parts = build_mesh(scene, layout, traits, materials, asset, progress);
  build_clips(scene, layout, parts, asset);
  if (asset.character.rig.mesh.face_count() == 0 && asset.character.rig.skeleton.empty())
    throw Error("The file contains neither a mesh nor a skeleton.");
  tell_order(traits, scene.exact, asset);
  return asset;
}

}  // namespace assimp

namespace {

// One byte for whether other folders may be read, the length of the path, the path, the file.
Bytes make_request(const std::filesystem::path& path, const Bytes& bytes) {
  const std::string name = path.string();
  const std::uint64_t length = name.size();
  Bytes request(1 + sizeof length + name.size() + bytes.size());
  request[0] = static_cast<std::byte>(outside_files_allowed());
  std::byte* at = request.data() + 1;
  std::memcpy(at, &length, sizeof length);
  std::memcpy(at + sizeof length, name.data(), name.size());
  if (!bytes.empty()) std::memcpy(at + sizeof length + name.size(), bytes.data(), bytes.size());
  return request;
}

// The job of the worker.
Bytes import_confined(const std::filesystem::path& path, const Bytes& bytes) {
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal().parent_path();
  confine_reader(outside_files_allowed() ? std::filesystem::path() : folder);
  return assimp::encode(assimp::import_scene(path, bytes));
}

Bytes answer(const Bytes& request) {
  std::uint64_t length = 0;
  if (request.size() < 1 + sizeof length) throw Error("The request is incomplete.");
  std::memcpy(&length, request.data() + 1, sizeof length);
  const std::size_t begin = 1 + sizeof length;
  if (length > request.size() - begin) throw Error("The request is incomplete.");
  allow_outside_files(request[0] != std::byte{0});
  const auto* name = reinterpret_cast<const char*>(request.data() + begin);
  const Bytes bytes(request.begin() + static_cast<std::ptrdiff_t>(begin + length), request.end());
  return import_confined(std::filesystem::path(std::string(name, length)), bytes);
}

}  // namespace

void serve_reader() { serve_worker(answer); }

Asset read_assimp(const std::filesystem::path& path, const Bytes& bytes, const WorkerLimits& limits,
                  const Progress& progress) {
  if (bytes.empty()) throw Error("The file is empty.");
  const char* who = "Assimp, which reads this format,";
  const Bytes message = has_worker_program() ? run_worker_program(who, make_request(path, bytes), limits, progress)
                                             : run_worker(
                                                   who, [&] { return import_confined(path, bytes); }, limits, progress);
  progress.step("scene");
  return assimp::build_asset(assimp::decode(message), path, progress);
}

Asset read_assimp(const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
  return read_assimp(path, bytes, limits_for_file(bytes.size()), progress);
}

}  // namespace sinew::io
