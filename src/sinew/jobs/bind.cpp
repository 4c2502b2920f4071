// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/bind.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/rig_json.h"
#include "sinew/jobs/bind_colors.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/bind_select.h"
#include "sinew/pipeline/heat_likeness.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamesShown = 6;

void check_output(const fs::path& output, const BindJobOptions& options) {
  const auto& format = io::format_of(output);
  if (!format.make.write || (format.id != "gltf" && format.id != "rig"))
    throw Error(fmt::format("{} cannot hold weights. Write a .glb, .gltf, .vrm or .rig.json file.", output.string()));
  if (options.debug_colors && format.id == "rig")
    throw Error(fmt::format("{} cannot hold colours. Write a .glb, .gltf or .vrm file with the option 'debug_colors'.",
                            output.string()));
}

io::Asset read(const fs::path& input, const BindJobOptions& options, Report& report, const Progress& progress) {
  const StageTimer timer(report, "read");
  progress.step("reading", 0.0);
  io::Asset asset = io::load(input, options.placement, progress);
  report.inputs = asset.files;
  const Rig& rig = asset.character.rig;
  if (rig.mesh.positions.empty()) throw Error(fmt::format("{} has no mesh to bind.", input.string()));
  if (!options.rig.empty()) {
    const io::Bytes bytes = io::read_file(options.rig);
    report.inputs.push_back(io::describe(options.rig, bytes));
    io::apply_rig(asset, io::read_rig_json(bytes, options.rig));
  }
  report.warn(asset.warnings);
  if (rig.skeleton.empty())
    throw Error(fmt::format("{} has no skeleton to bind to. Specify a file NAME.rig.json with the option 'rig'.",
                            input.string()));
  report.text += fmt::format("read       {}: {}, {}, {}\n", input.string(),
                             count_of(rig.mesh.vertex_count(), "vertex", "vertices"),
                             count_of(rig.mesh.parts.size(), "part"), count_of(rig.skeleton.size(), "joint"));
  return asset;
}

void report_choice(const pipeline::BindingResult& result, bool named, Report& report) {
  const Rig& rig = result.character.rig;
  report.metrics["joints"] = {{"bound", result.bound_joint_count()}, {"all", rig.skeleton.size()}};
  report.text += fmt::format("joints     {} of {}{}\n", result.bound_joint_count(), rig.skeleton.size(),
                             named ? ", as named" : "");
  std::vector<std::string> kept, excluded;
  for (std::size_t p = 0; p < result.parts.size(); ++p)
    if (result.parts[p].treatment == pipeline::PartTreatment::kKeep)
      (result.parts[p].reason == pipeline::kExcludedPart ? excluded : kept).push_back(rig.mesh.parts[p].name);
  report.metrics["parts"] = {
      {"bound", result.parts.size() - kept.size() - excluded.size()}, {"kept", kept}, {"excluded", excluded}};
  report.metrics["excluded_vertices"] = result.excluded_vertices;
  report.metrics["spring_vertices"] = result.spring_vertices;
  if (result.spring_vertices > 0)
    report.text += fmt::format("springs    {} the weights of the file\n",
                               count_of(result.spring_vertices, "vertex keeps", "vertices keep"));
  if (result.excluded_vertices > result.spring_vertices)
    report.text += fmt::format("excluded   {}{}\n",
                               count_of(result.excluded_vertices - result.spring_vertices, "vertex", "vertices"),
                               excluded.empty() ? "" : ", with all of " + join_some(excluded, kNamesShown));
  if (!kept.empty())
    report.text += fmt::format("kept       {} attached rigidly to a joint: {}\n", count_of(kept.size(), "part"),
                               join_some(kept, kNamesShown));
}

void report_origins(const binding::BindResult& rows, bool colored, Report& report) {
  Json origins = Json::array();
  for (std::size_t o = 0; o < rows.origins.size(); ++o) {
    const auto count = static_cast<std::uint64_t>(std::count(rows.origin.begin(), rows.origin.end(), o));
    if (count == 0) continue;
    const auto& [method, reason] = rows.origins[o];
    origins.push_back({{"method", method}, {"reason", reason}, {"vertices", count}});
    if (colored) origins.back()["color"] = debug_color_name(o);
    report.text += fmt::format("bound      {} by {}: {}{}\n", count_of(count, "vertex", "vertices"), method, reason,
                               colored ? fmt::format(" ({})", debug_color_name(o)) : "");
  }
  report.metrics["vertices"] = rows.origin.size();
  report.metrics["origins"] = std::move(origins);
  for (const auto& item : rows.metrics.items()) report.metrics[item.key()] = item.value();
}

void report_result(const pipeline::BindingResult& result, Report& report) {
  report.warn(result.findings);
  report.fallbacks = result.fallbacks;
  for (const Fallback& fallback : result.fallbacks) report.text += fmt::format("instead    {}\n", fallback.text);
  std::vector<std::string> idle;
  for (const Index joint : result.idle_joints) idle.push_back(result.character.rig.skeleton.joints[joint].name);
  report.metrics["joints_without_vertices"] = idle;
  if (!idle.empty())
    report.text += fmt::format("idle       {} without vertices: {}\n", count_of(idle.size(), "joint"),
                               join_some(idle, kNamesShown));
  std::vector<std::string> lost;
  for (const Index joint : result.lost_skin) lost.push_back(result.character.rig.skeleton.joints[joint].name);
  report.metrics["joints_that_lost_skin"] = lost;
  if (!lost.empty())
    report.warn(
        "bind.lost_skin", "",
        fmt::format("{} nearly all the skin that the file gave {}: {}. Keep vertices with the option 'exclude', or "
                    "attach them with the option 'rigid'.",
                    count_of(lost.size(), "joint loses", "joints lose"), lost.size() == 1 ? "it" : "them",
                    join_some(lost, kNamesShown)));
  report.metrics["low_confidence"] = result.doubtful_vertices;
  if (result.doubtful_vertices > 0)
    report.text +=
        fmt::format("doubtful   {} worth a look\n", count_of(result.doubtful_vertices, "vertex", "vertices"));
  report.metrics["max_influences"] = result.rows.weights.max_influences();
  const pipeline::SkinChanges& changes = result.skin_changes;
  report.metrics["skins"] = {{"new", changes.new_skins},
                             {"newly_skinned_parts", changes.newly_skinned_parts},
                             {"added_joints", changes.added_joints}};
  if (changes.newly_skinned_parts > 0)
    report.text += fmt::format("skinned    {} that had no skin\n", count_of(changes.newly_skinned_parts, "part"));
  if (changes.added_joints > 0)
    report.text += fmt::format("listed     {} added to skins that lacked {}\n", count_of(changes.added_joints, "joint"),
                               changes.added_joints == 1 ? "it" : "them");
}

// What nobody painted is no loss.
void report_old_weights(const Rig& rig, Report& report, const Progress& progress) {
  const auto heat = pipeline::heat_likeness(rig, progress);
  report.metrics["old_weights"] = heat ? heat->json() : Json();
  if (heat && heat->looks_like_heat())
    report.text += fmt::format("replaced   weights that look like plain bone heat: {}\n", heat->sentence());
}

// The built-in clip that bends most at once.
std::string telling_clip(const Skeleton& skeleton) {
  const std::vector<std::string> made = motion::builtin_clip_names(skeleton);
  for (const char* name : {"run", "walk", "flap"})
    if (std::find(made.begin(), made.end(), name) != made.end()) return std::string("builtin:") + name;
  return "builtin:exercise";
}

std::string next_command(const fs::path& input, const fs::path& output, const Skeleton& skeleton) {
  if (io::format_of(output).id == "rig")
    return fmt::format("sinew convert {} --rig {} -o {}", shell_word(input), shell_word(output),
                       shell_word(fs::path(output.string() + ".glb")));
  const fs::path sheet = output.parent_path() / (output.stem().string() + "_sheet.png");
  return fmt::format("sinew render {} --clip {} --sheet -o {}", shell_word(output), telling_clip(skeleton),
                     shell_word(sheet));
}

}  // namespace

Report bind(const JobRequest& request, const BindJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "bind";
  const fs::path output = output_path(request, "bound", ".glb");
  check_output(output, options);
  report.metrics["method"] = options.bind.method.id();
  io::Asset asset = read(request.inputs.front(), options, report, progress);
  report_old_weights(asset.character.rig, report, progress);
  pipeline::BindingResult result;
  {
    const StageTimer timer(report, "bind");
    result = pipeline::bind(asset.character, options.bind, progress);
  }
  report_choice(result, !options.bind.joints.empty(), report);
  report_origins(result.rows, options.debug_colors, report);
  report_result(result, report);
  asset.character = std::move(result.character);
  Rig& rig = asset.character.rig;
  if (options.debug_colors) rig.mesh.colors = debug_colors(result.rows, result.vertices, rig.mesh.positions.size());
  {
    const StageTimer timer(report, "write");
    progress.step("writing", 0.9);
    keep_backup(request, output);
    io::SaveOptions save_options;
    save_options.changes.weights = true;
    save_options.changes.skeleton = result.skin_changes.any() || !options.rig.empty();
    io::save(asset, output, save_options, report);
  }
  report.text += fmt::format("wrote      {}\n", output.string());
  report.next = next_command(request.inputs.front(), output, rig.skeleton);
  return report;
}

}  // namespace sinew::jobs
