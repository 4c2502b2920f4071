// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/part_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/io/file.h"
#include "sinew/io/part_shapes.h"
#include "sinew/io/parts_json.h"
#include "sinew/io/prepared_data.h"
#include "sinew/pipeline/pose_set.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

std::vector<std::vector<Vec3>> read_examples(const fs::path& folder, const Character& character, Report& report) {
  if (!fs::is_directory(folder)) throw Error(fmt::format("{} is not a folder of poses.", folder.string()));
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && lower_case(entry.path().extension().string()) != ".mtl")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) throw Error(fmt::format("{} has no files, so there are no poses.", folder.string()));
  std::vector<pipeline::NamedCharacter> characters = {{"the character", character}};
  for (const fs::path& path : paths) {
    io::Asset asset = io::load(path);
    report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
    characters.push_back({path.filename().string(), std::move(asset.character)});
  }
  std::vector<std::vector<Vec3>> shapes = pipeline::poses_of_characters(std::move(characters)).shapes;
  shapes.erase(shapes.begin());
  return shapes;
}

template <class T>
void follow(const std::vector<Index>& vertices, std::vector<T>& values) {
  if (values.empty()) return;
  std::vector<T> result;
  for (const Index v : vertices) result.push_back(values[v]);
  values = std::move(result);
}

}  // namespace

void follow_vertices(const std::vector<Index>& vertices, pipeline::DeformerOptions& options) {
  if (vertices.empty()) return;
  follow(vertices, options.owners);
  follow(vertices, options.tissues);
  for (std::vector<Vec3>& shape : options.examples) follow(vertices, shape);
}

void read_part_files(const PartFiles& files, const io::Asset& asset, pipeline::DeformerOptions& options, Report& report,
                     bool collect) {
  const Rig& rig = asset.character.rig;
  options.prepared = std::make_shared<pipeline::PreparedStore>(io::stored_prepared(asset, report.warnings), collect);
  if (!files.poses.empty()) options.examples = read_examples(files.poses, asset.character, report);
  if (!files.owners.empty()) {
    const io::Bytes bytes = io::read_file(files.owners);
    report.inputs.push_back(io::describe(files.owners, bytes));
    options.owners = io::read_owners_json(bytes, files.owners, rig.skeleton, rig.mesh.vertex_count());
  }
  if (!files.materials.empty()) {
    const io::Bytes bytes = io::read_file(files.materials);
    report.inputs.push_back(io::describe(files.materials, bytes));
    options.tissues = io::read_materials_json(bytes, files.materials, rig.mesh.vertex_count());
  }
  if (!files.samples.empty()) {
    const io::Bytes bytes = io::read_file(files.samples);
    report.inputs.push_back(io::describe(files.samples, bytes));
    options.samples = io::read_samples_json(bytes, files.samples);
  } else if (pipeline::uses_parts(options)) {
    options.samples = io::stored_part_samples(asset, report.warnings);
  }
}

}  // namespace sinew::jobs
