// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/file.h"
#include "sinew/io/gltf/document.h"
#include "sinew/io/gltf/strip_rig.h"
#include "sinew/jobs/map_file.h"
#include "sinew/jobs/transfer_report.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/transfer_merge.h"

namespace sinew::jobs {

namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code problem;
  return fs::equivalent(a, b, problem) && !problem;
}

// Whether -o names a folder: an existing one, or a name with a slash at its end.
bool names_folder(const fs::path& output) {
  std::error_code problem;
  return output.filename().empty() || fs::is_directory(output, problem);
}

void check_holds_rig(const fs::path& output, bool colors) {
  const auto& format = io::format_of(output);
  if (!format.make.write || (format.id != "gltf" && format.id != "rig"))
    throw Error(fmt::format("{} cannot hold weights. Write a .glb, .gltf, .vrm or .rig.json file.", output.string()));
  if (colors && format.id == "rig")
    throw Error(fmt::format("{} cannot hold colours. Write a .glb, .gltf or .vrm file with the option 'debug_colors'.",
                            output.string()));
}

// A folder that is made with the first file in it.
void check_can_be_made(const fs::path& folder) {
  std::error_code problem;
  const fs::path above = (folder.filename().empty() ? folder.parent_path() : folder).parent_path();
  if (!above.empty() && !fs::is_directory(above, problem))
    throw Error(fmt::format(
        "The folder {} does not exist, so {} cannot be created in it. Create it, or choose another output with -o.",
        above.string(), folder.string()));
}

/// Where each target goes, all checked before the work begins.
std::vector<fs::path> output_paths(const JobRequest& request, bool colors) {
  const std::vector<fs::path> targets(request.inputs.begin() + 1, request.inputs.end());
  std::error_code problem;
  const bool folder = request.output && names_folder(*request.output);
  if (request.output && !folder && targets.size() > 1)
    throw Error(fmt::format("There are {} targets, but {} is a single file. Specify a folder with -o, such as {}/.",
                            targets.size(), request.output->string(), request.output->string()));
  const bool new_folder = folder && !fs::is_directory(*request.output, problem);
  if (new_folder) check_can_be_made(*request.output);
  std::vector<fs::path> outputs;
  for (const fs::path& target : targets) {
    JobRequest one = request;
    one.inputs = {target};
    if (folder) {
      // Named as it would be beside the target.
      JobRequest beside{{target}, {}, true};
      one.output = *request.output / output_path(beside, "transferred", ".glb").filename();
    }
    outputs.push_back(new_folder ? *one.output : output_path(one, "transferred", ".glb"));
    check_holds_rig(outputs.back(), colors);
    if (std::find(outputs.begin(), outputs.end() - 1, outputs.back()) != outputs.end() - 1)
      throw Error(fmt::format("Two targets would be written to {}. Rename one of them, or transfer them one by one.",
                              outputs.back().string()));
    if (same_file(outputs.back(), request.inputs.front()))
      throw Error(fmt::format("{} is the reference and would be overwritten. Choose another output with -o.",
                              outputs.back().string()));
  }
  return outputs;
}

pipeline::LandmarkPlace landmark_place(const Json& json, const std::string& file) {
  if (json.is_number_unsigned() && json.get<std::uint64_t>() < kNone) return {json.get<Index>(), Vec3::Zero()};
  if (json.is_array() && json.size() == 3 &&
      std::all_of(json.begin(), json.end(), [](const Json& x) { return x.is_number(); }))
    return {kNone, Vec3(json[0].get<double>(), json[1].get<double>(), json[2].get<double>())};
  throw Error(fmt::format("{}: a landmark is neither a vertex number nor three coordinates.", file));
}

std::vector<pipeline::GivenLandmark> read_landmarks(const std::string& file, Report& report) {
  std::vector<pipeline::GivenLandmark> given;
  if (file.empty()) return given;
  const io::Bytes bytes = io::read_json_bytes(file);
  report.inputs.push_back(io::describe(file, bytes));
  const Json json = io::parse_json(bytes, file);
  if (!json.is_array()) throw Error(fmt::format("{} is not a JSON array of landmarks.", file));
  for (const Json& one : json) {
    if (!one.is_object() || !one.contains("reference") || !one.contains("target"))
      throw Error(fmt::format("{}: a landmark lacks 'reference' or 'target'.", file));
    const std::string number = fmt::format("{}", given.size() + 1);
    given.push_back({one.contains("name") && one["name"].is_string() ? one["name"].get<std::string>() : number,
                     landmark_place(one["reference"], file), landmark_place(one["target"], file)});
  }
  return given;
}

bool has_vrm_data(const io::Asset& asset) {
  const auto* document = dynamic_cast<const io::gltf::GltfDocument*>(asset.document.get());
  if (document == nullptr || !document->json().contains("extensions")) return false;
  const Json& extensions = document->json()["extensions"];
  return extensions.contains("VRM") || extensions.contains("VRMC_vrm");
}

std::string next_look(const fs::path& output, const Json& figures) {
  if (io::format_of(output).id == "rig") return fmt::format("sinew info {}", shell_word(output));
  const fs::path sheet = output.parent_path() / (output.stem().string() + "_sheet.png");
  const Json clips = figures.value("clips", Json::array());
  const std::string clip = clips.empty() ? "builtin:exercise" : clips.front().get<std::string>();
  return fmt::format("sinew render {} --clip {} --sheet -o {}", shell_word(output), shell_word(fs::path(clip)),
                     shell_word(sheet));
}

std::string times_line(const Report& report) {
  std::string text;
  for (const auto& item : report.timing.items())
    text += fmt::format("{}{} {:.2f} s", text.empty() ? "" : ", ", item.key(), item.value().get<double>());
  return text.empty() ? text : fmt::format("time       {}\n", text);
}

// A sentence of the library about one file.
template <class Function>
auto about(const fs::path& file, Function&& call) {
  try {
    return call();
  } catch (const Error& problem) {
    throw Error(fmt::format("{}: {}", file.string(), problem.what()));
  }
}

io::Asset read_target(const fs::path& input, const TransferJobOptions& options, Report& report,
                      const Progress& progress) {
  const StageTimer timer(report, "read");
  progress.step("reading", 0.0);
  io::Asset asset = io::load(input, options.placement, progress);
  report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
  report.warn(asset.warnings);
  // Nodes that move nothing.
  const Skeleton& skeleton = asset.character.rig.skeleton;
  if (!skeleton.empty() && asset.format == "gltf" && asset.document && !pipeline::has_rig(asset.character))
    asset = io::strip_rig(asset, std::vector<char>(skeleton.joints.size(), 0), report).asset;
  return asset;
}

void write_target(const JobRequest& request, io::Asset& asset, const fs::path& output,
                  const pipeline::TransferResult& result, Report& report) {
  const StageTimer timer(report, "write");
  if (const fs::path folder = output.parent_path(); !folder.empty()) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) throw Error(fmt::format("The folder {} cannot be created: {}.", folder.string(), problem.message()));
  }
  keep_backup(request, output);
  io::SaveOptions save;
  save.changes.weights = true;
  save.changes.skeleton = result.skeleton_changed || !result.new_clips.empty();
  save.changes.morphs = !result.new_morphs.empty();
  save.new_clips = result.new_clips;
  io::save(asset, output, save, report);
  report.text += fmt::format("wrote      {}\n", output.string());
}

void report_clips(const pipeline::TransferResult& result, Report& report, Json& figures) {
  std::vector<std::string> names;
  for (const Index c : result.new_clips) names.push_back(result.character.clips[c].name);
  figures["clips"] = names;
  report.text += names.empty() ? std::string("clips      the reference has no clips that move its joints\n")
                               : fmt::format("clips      {} carried over: {}\n", names.size(), join_some(names, 6));
}

/// Transfers to one target and writes it. Returns its figures.
Json transfer_target(const JobRequest& request, const TransferJobOptions& options,
                     const pipeline::TransferOptions& wanted, pipeline::TransferReference& reference,
                     const fs::path& input, const fs::path& output, std::string& table, Report& report,
                     const Progress& progress) {
  io::Asset asset = read_target(input, options, report, progress);
  const Rig& rig = asset.character.rig;
  const bool has_skeleton = pipeline::has_rig(asset.character);
  Json figures = {{"input", input.string()},
                  {"output", output.string()},
                  {"vertices", rig.mesh.vertex_count()},
                  {"has_skeleton", has_skeleton}};
  report.text +=
      fmt::format("target     {}: {}, {}\n", input.string(), count_of(rig.mesh.vertex_count(), "vertex", "vertices"),
                  has_skeleton ? count_of(rig.skeleton.size(), "joint") : "no skeleton");
  pipeline::TransferResult result;
  {
    StageClock clock(report);
    result = about(input, [&] {
      return pipeline::transfer(reference, asset.character, wanted, progress,
                                [&](const char* stage) { clock.begin(stage); });
    });
  }
  report.warn(result.findings);
  report.fallbacks.insert(report.fallbacks.end(), result.fallbacks.begin(), result.fallbacks.end());
  report.text += transfer_text(result, reference, options.debug_colors, table);
  add_transfer_figures(result, reference, figures);
  if (wanted.morphs) {
    figures["morphs"] = result.new_morphs;
    report.text += result.new_morphs.empty() ? std::string("morphs     none displaces the target\n")
                                             : fmt::format("morphs     {} carried over: {}\n", result.new_morphs.size(),
                                                           join_some(result.new_morphs, 6));
  }
  if (wanted.clips) report_clips(result, report, figures);
  if (options.debug_colors) result.character.rig.mesh.colors = level_colors(result);
  if (options.out == TransferOutput::kMerged) {
    asset.character = about(input, [&] { return pipeline::merge_with_reference(reference, result); });
    asset.document.reset();
    asset.placement = Mat4::Identity();
    result.skeleton_changed = true;
    result.new_clips.clear();
    report.text += "merged     the target's meshes follow those of the reference, on its skin\n";
  } else {
    asset.character = std::move(result.character);
  }
  progress.step("writing", 0.9);
  write_target(request, asset, output, result, report);
  return figures;
}

/// Transfers to all targets. A target that fails leaves the others, unless it is the only one.
Json transfer_targets(const JobRequest& request, const TransferJobOptions& options,
                      pipeline::TransferReference& reference, const std::vector<fs::path>& outputs,
                      const pipeline::TransferOptions& wanted, Report& report, const Progress& progress) {
  Json targets = Json::array();
  std::string table, first_problem;
  std::size_t done = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const fs::path& input = request.inputs[i + 1];
    try {
      targets.push_back(
          transfer_target(request, options, wanted, reference, input, outputs[i], table, report, progress));
    } catch (const Error& problem) {
      if (outputs.size() == 1) throw;
      if (first_problem.empty()) first_problem = problem.what();
      report.status = Report::Status::kIncomplete;
      report.warn("transfer.target_failed", input.string(), problem.what());
      report.text += fmt::format("failed     {}\n", problem.what());
      targets.push_back({{"input", input.string()}, {"error", problem.what()}});
      continue;
    }
    if (done++ == 0) report.next = next_look(outputs[i], targets.back());
  }
  if (done == 0) throw Error(first_problem);
  return targets;
}

}  // namespace

Report transfer(const JobRequest& request, const TransferJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "transfer";
  if (request.inputs.size() < 2)
    throw Error("The target is missing. Specify the reference first, then one or more targets.");
  report.metrics["method"] = options.transfer.method.id();
  const fs::path& first = request.inputs.front();
  for (std::size_t i = 1; i < request.inputs.size(); ++i)
    if (same_file(request.inputs[i], first))
      throw Error(fmt::format("{} is both the reference and a target.", request.inputs[i].string()));
  const std::vector<fs::path> outputs = output_paths(request, options.debug_colors);
  pipeline::TransferOptions wanted = options.transfer;
  wanted.map = read_map(options.map, report);
  wanted.landmarks = read_landmarks(options.landmarks, report);
  std::optional<pipeline::TransferReference> reference;
  {
    const StageTimer timer(report, "read");
    io::Asset asset = io::load(first, {}, progress);
    report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
    report.warn(asset.warnings);
    if (options.out == TransferOutput::kMerged && has_vrm_data(asset))
      report.warn("transfer.merged_vrm", first.string(),
                  "Merged characters are written to a new document, which does not have the reference's VRM data: its "
                  "bones, expressions and springs. Write the garment alone to keep the reference's file.");
    about(first, [&] { return &reference.emplace(std::move(asset.character)); });
    report.warn(reference->findings());
  }
  report.text += reference_text(*reference, first.string());
  report.metrics["reference"] = reference_figures(*reference);
  report.metrics["targets"] = transfer_targets(request, options, *reference, outputs, wanted, report, progress);
  report.text += times_line(report);
  return report;
}

}  // namespace sinew::jobs
