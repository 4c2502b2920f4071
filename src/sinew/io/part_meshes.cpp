// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/part_meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>
#include <vector>

#include "sinew/io/asset.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

std::string file_stem(const std::string& joint) {
  std::string stem = joint;
  std::replace_if(
      stem.begin(), stem.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.' && c != '_'; }, '_');
  return stem;
}

std::string mesh_as_obj(const PartMesh& mesh) {
  std::string text;
  for (const Vec3& p : mesh.positions) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", p.x(), p.y(), p.z());
  for (const auto& t : mesh.triangles) text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

}  // namespace

void add_part_meshes(const std::map<std::string, PartMesh>& meshes, const fs::path& folder, AtomicFiles& files) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (!fs::is_directory(folder)) throw Error(fmt::format("The folder {} cannot be created.", folder.string()));
  for (const auto& [joint, mesh] : meshes) files.add(folder / (file_stem(joint) + ".obj"), mesh_as_obj(mesh));
}

std::map<std::string, PartMesh> read_part_meshes(const fs::path& folder, const Skeleton& skeleton) {
  std::map<std::string, PartMesh> meshes;
  if (folder.empty()) return meshes;
  if (!fs::is_directory(folder)) throw Error(fmt::format("The folder {} does not exist.", folder.string()));
  std::set<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() != ".mtl") paths.insert(entry.path());
  for (const fs::path& path : paths) {
    const auto joint = std::find_if(skeleton.joints.begin(), skeleton.joints.end(),
                                    [&](const Joint& j) { return file_stem(j.name) == path.stem().string(); });
    if (joint == skeleton.joints.end())
      throw Error(fmt::format("{} is not named after a joint of the character.", path.string()));
    const Asset asset = load(path);
    const Mesh& mesh = asset.character.rig.mesh;
    PartMesh& part = meshes[joint->name];
    part.positions = mesh.positions;
    for (Index f = 0; f < mesh.face_count(); ++f) {
      const auto corners = mesh.face(f);
      for (std::size_t k = 2; k < corners.size(); ++k)
        part.triangles.push_back({corners[0], corners[k - 1], corners[k]});
    }
  }
  if (meshes.empty()) throw Error(fmt::format("The folder {} has no mesh of a part.", folder.string()));
  return meshes;
}

}  // namespace sinew::io
