// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rig.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/jobs/rig_report.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/rig.h"
#include "sinew/rigging/templates/template_file.h"
#include "sinew/studio/recipe.h"
#include "sinew/studio/rig_asset.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

// A word that names a file rather than something built in.
bool names_a_json_file(const std::string& word) {
  return word.ends_with(".json") || word.find('/') != std::string::npos;
}

Json read_json(const std::string& file, Report& report, const char* expected) {
  const io::Bytes bytes = io::read_json_bytes(file);
  const Json json = io::parse_json(bytes, file);
  if (json.is_discarded()) throw Error(fmt::format("{} is not JSON, so it is not a {}.", file, expected));
  report.inputs.push_back(io::describe(file, bytes));
  return json;
}

std::map<std::string, Vec3> read_positions(const std::string& file, Report& report) {
  const Json json = read_json(file, report, "list of positions");
  if (!json.is_object()) throw Error(fmt::format("{} is not a JSON object of joints: {{\"NAME\": [x, y, z]}}.", file));
  std::map<std::string, Vec3> positions;
  for (const auto& entry : json.items()) {
    const Json& value = entry.value();
    const auto number = [](const Json& v) { return v.is_number() && std::isfinite(v.get<double>()); };
    if (!value.is_array() || value.size() != 3 || !std::all_of(value.begin(), value.end(), number))
      throw Error(fmt::format("{}: '{}' must have three numbers, [x, y, z].", file, entry.key()));
    positions[entry.key()] = Vec3(value[0].get<double>(), value[1].get<double>(), value[2].get<double>());
  }
  return positions;
}

// The options of the call, with what they name read from files.
pipeline::RigOptions read_options(const RigJobOptions& options, const fs::path& output, Report& report) {
  pipeline::RigOptions result = options.rig;
  if (const std::string& word = options.template_name; names_a_json_file(word))
    result.skeleton_template = rigging::read_template(read_json(word, report, "template"), word);
  else result.skeleton_template = word;
  const std::string preset = !options.preset.empty() ? options.preset : output.extension() == ".vrm" ? "vrm" : "plain";
  if (names_a_json_file(preset)) result.preset = rigging::read_preset(read_json(preset, report, "preset"), preset);
  else result.preset = preset;
  if (!options.joint_positions.empty()) result.joint_positions = read_positions(options.joint_positions, report);
  pipeline::check_rig_options(result);
  if (io::format_of(output).id == "rig" && pipeline::preset_of(result).rest != "keep") {
    result.rest = rigging::RestPose::kKeep;
    report.warn(options.rig.rest ? "rig.rest_kept" : "rig.preset_rest", "",
                "A rig file holds no mesh, so the pose of the mesh cannot change.");
  }
  return result;
}

void check_holds_skeleton(const fs::path& output) {
  const auto& format = io::format_of(output);
  if (!format.make.write || (format.id != "gltf" && format.id != "rig"))
    throw Error(
        fmt::format("{} cannot hold a skeleton. Write a .glb, .gltf, .vrm or .rig.json file.", output.string()));
}

// One file with all parts in one pose. `moved` is set if that changed any position.
io::Asset read_one(const fs::path& path, const RigJobOptions& options, bool& moved, Report& report,
                   const Progress& progress) {
  io::Asset asset = io::load(path, options.placement, progress);
  report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
  report.warn(asset.warnings);
  moved = studio::prepare_to_rig(asset, options.rig.replace, report);
  return asset;
}

// Several files as one character, in a document of its own.
io::Asset read_all(const std::vector<fs::path>& inputs, const RigJobOptions& options, bool& moved, Report& report,
                   const Progress& progress) {
  const StageTimer timer(report, "read");
  if (inputs.size() > 1)
    report.warn(
        "rig.one_character", "",
        fmt::format("The {} files form one character. To rig several characters, run the command once per file.",
                    inputs.size()));
  progress.step(inputs.size() > 1 ? fmt::format("reading {} files as one character,", inputs.size()) : "reading", 0.0);
  io::Asset asset = read_one(inputs.front(), options, moved, report, progress);
  if (inputs.size() == 1) return asset;
  std::vector<Character> others;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    bool other_moved = false;
    others.push_back(read_one(inputs[i], options, other_moved, report, progress).character);
    if (pipeline::has_rig(others.back()))
      report.warn("rig.dropped_rig", inputs[i].string(), "Its skeleton and the clips that moved it are left out.");
  }
  asset.character = pipeline::merge_characters(std::move(asset.character), others);
  if (asset.document && asset.format == "gltf")
    report.warn("rig.new_document", "",
                "Several files become one new file. Data of the first file that Sinew does not know, such as further "
                "texture coordinates, cameras and extensions, is left out.");
  asset.document.reset();
  asset.placement = Mat4::Identity();
  return asset;
}

// Other poses of the mesh, vertex by vertex.
std::vector<std::vector<Vec3>> read_poses(const RigJobOptions& options, Report& report, const Progress& progress) {
  std::vector<std::vector<Vec3>> poses;
  for (const std::string& file : options.also_posed) {
    io::Asset asset = io::load(file, options.placement, progress);
    report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
    poses.push_back(std::move(asset.character.rig.mesh.positions));
  }
  return poses;
}

std::string next_command(const JobRequest& request, const fs::path& output, const Skeleton& skeleton) {
  if (io::format_of(output).id == "rig")
    return fmt::format("sinew convert {} --rig {} -o {}", shell_word(request.inputs.front()), shell_word(output),
                       shell_word(fs::path(output.string() + ".glb")));
  const fs::path sheet = output.parent_path() / (output.stem().string() + "_sheet.png");
  return fmt::format("sinew render {} --clip builtin:{} --sheet -o {}", shell_word(output),
                     motion::fitting_clip(skeleton), shell_word(sheet));
}

void write(const JobRequest& request, const fs::path& output, const io::Asset& asset, const io::SaveOptions& save,
           Report& report, const Progress& progress) {
  const StageTimer timer(report, "write");
  progress.step("writing", 0.9);
  keep_backup(request, output);
  io::save(asset, output, save, report);
}

// Repeats the steps of a recipe.
Report replay(const JobRequest& request, const std::string& recipe_file, const fs::path& output, Report report,
              const Progress& progress) {
  if (request.inputs.size() != 1) throw Error("A recipe is for one file. Specify one file with the option 'session'.");
  const fs::path& path = request.inputs.front();
  const Json recipe = read_json(recipe_file, report, "recipe");
  std::shared_ptr<const studio::Built> built;
  {
    const StageTimer timer(report, "steps");
    auto asset = std::make_shared<const io::Asset>(io::load(path, {}, progress));
    report.inputs.insert(report.inputs.end(), asset->files.begin(), asset->files.end());
    const Json steps = studio::recipe_steps(recipe, *asset);
    report.metrics["steps"] = steps.size();
    report.text += fmt::format("read       {}: {}\n", path.string(), count_of(steps.size(), "step"));
    // Files with clips are beside the recipe or beside the mesh.
    const auto find = [&](const std::string& name) {
      for (const fs::path& folder : {fs::path(recipe_file).parent_path(), path.parent_path()})
        if (const fs::path file = folder / fs::path(name).filename(); fs::is_regular_file(file)) return file;
      return fs::path();
    };
    built = studio::RecipeBuilder(asset, find).build(steps, progress);
  }
  report.warn(built->findings);
  keep_backup(request, output);
  studio::save_built(*built, output, report);
  report.text += fmt::format("wrote      {}\n", output.string());
  report.next = next_command(request, output, built->asset.character.rig.skeleton);
  return report;
}

}  // namespace

std::string RigJobOptions::template_names() { return fmt::format("{}", fmt::join(pipeline::template_words(), ", ")); }

std::string RigJobOptions::preset_names() { return fmt::format("{}", fmt::join(pipeline::preset_words(), ", ")); }

Report rig(const JobRequest& request, const RigJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "rig";
  const fs::path output = output_path(request, "rigged", ".glb");
  check_holds_skeleton(output);
  if (!options.session.empty()) return replay(request, options.session, output, std::move(report), progress);
  pipeline::RigOptions rig_options = read_options(options, output, report);

  bool moved = false;
  io::Asset asset = read_all(request.inputs, options, moved, report, progress);
  report_input(request.inputs, asset, report);
  rig_options.posed = read_poses(options, report, progress);
  studio::AssetRig rigged;
  {
    StageClock clock(report);
    const StageListener on_stage = [&](const char* stage) { clock.begin(stage); };
    rigged = studio::rig_asset(std::move(asset), moved, rig_options, options.stand, options.placement, report, progress,
                               on_stage);
    report.metrics["preset"] = rigged.preset;
  }
  asset = std::move(rigged.asset);
  std::swap(rigged.result.character, asset.character);
  report_result(rigged.result, rigged.carries_clips, report);
  std::swap(rigged.result.character, asset.character);

  io::SaveOptions save = std::move(rigged.save);
  save.humanoid = studio::humanoid_table(asset, output, report);
  write(request, output, asset, save, report, progress);
  report.text += fmt::format("wrote      {}\n", output.string()) + times_text(report);
  report.next = next_command(request, output, asset.character.rig.skeleton);
  return report;
}

}  // namespace sinew::jobs
