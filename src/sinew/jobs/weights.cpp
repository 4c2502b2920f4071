// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/weights_report.h"
#include "sinew/pipeline/same_vertices.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

fs::path chosen_output(const JobRequest& request) {
  const std::string name = request.inputs.front().filename().string();
  std::string extension = ".glb";
  for (const char* own : {".gltf", ".vrm"})
    if (name.ends_with(own)) extension = own;
  const fs::path output = output_path(request, "weights", extension);
  const auto& format = io::format_of(output);
  if (format.id != "gltf" && format.id != "rig")
    throw Error(fmt::format("{} cannot hold weights. Write a .glb, .gltf, .vrm or .rig.json file.", output.string()));
  return output;
}

void require_task(const JobRequest& request, const WeightsOptions& options) {
  if (request.inputs.size() != 1) throw Error("The command weights edits one file: sinew weights FILE.");
  if (options.edit.any()) return;
  if (options.compare.empty())
    throw Error(
        "No operation is requested. Choose --repair, --fill, --mirror, --symmetrize, --smooth, --prune, "
        "--max-influences or --compare.");
  if (request.output || options.dry_run)
    throw Error(
        "The option 'compare' alone changes nothing, so there is nothing to write. Omit -o and the option 'dry_run'.");
}

io::Asset read(const fs::path& path, Report& report, const Progress& progress) {
  io::Asset asset = io::load(path, {}, progress);
  report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
  const Rig& rig = asset.character.rig;
  if (pipeline::has_skin_weights(rig)) return asset;
  if (asset.format == "rig")
    throw Error(
        fmt::format("{0} is a rig without a mesh, and weights are edited along a mesh. Combine it with its mesh first: "
                    "sinew convert MESH --rig {0} -o OUT.glb.",
                    path.string()));
  throw Error(fmt::format("{} has no skin, so there are no weights to edit.{}", path.string(),
                          rig.skeleton.empty() ? "" : " Compute them with `sinew bind`."));
}

void report_edits(const pipeline::EditWeightsResult& result, bool dry_run, Report& report) {
  const Skeleton& skeleton = result.character.rig.skeleton;
  Json operations = Json::array();
  for (const pipeline::WeightEdit& edit : result.edits) {
    const EditLine line = edit_line(edit, skeleton);
    report.text += fmt::format("{:<10} {}\n", line.operation, line.text);
    operations.push_back({{"operation", line.operation}});
    operations.back().update(line.figures);
  }
  report.metrics["operations"] = std::move(operations);
  report.metrics["changes"] = changes_json(result.changes, skeleton);
  if (dry_run) report.text += table_text(changes_table(result.changes, skeleton));
  else
    report.text +=
        fmt::format("changed    {} vertices, {} joints\n", result.changes.vertices, result.changes.joints.size());
  report.warn(result.findings);
  report.fallbacks.insert(report.fallbacks.end(), result.fallbacks.begin(), result.fallbacks.end());
}

void write_result(const JobRequest& request, const io::Asset& asset, const fs::path& output, bool changed,
                  Report& report, const Progress& progress) {
  const StageTimer timer(report, "write");
  progress.step("writing", 0.9);
  keep_backup(request, output);
  io::SaveOptions save_options;
  save_options.changes.weights = changed;
  io::save(asset, output, save_options, report);
  report.text += fmt::format("wrote      {}\n", output.string());
  report.next = "sinew info " + shell_word(output);
}

void compare_with(const Rig& rig, const Rig& other, const std::string& name, Report& report) {
  const pipeline::WeightComparison comparison = pipeline::compare_weights(rig, other);
  report.metrics["compare"] = comparison_json(comparison);
  report.text += table_text(comparison_table(comparison));
  if (!comparison.unmatched.empty())
    report.warn("weights.joints_differ", name,
                fmt::format("{} joints that move vertices in that file have no partner of the same name here: {}.",
                            comparison.unmatched.size(), fmt::join(comparison.unmatched, ", ")));
}

}  // namespace

Report weights(const JobRequest& request, const WeightsOptions& options, const Progress& progress) {
  require_task(request, options);
  Report report;
  report.command = "weights";
  const fs::path& input = request.inputs.front();
  std::optional<fs::path> output;
  if (options.edit.any() && !options.dry_run) output = chosen_output(request);
  io::Asset asset;
  std::optional<io::Asset> other;
  {
    const StageTimer timer(report, "read");
    asset = read(input, report, progress);
    report.warn(asset.warnings);
    if (!options.compare.empty()) {
      other = read(options.compare, report, progress);
      pipeline::same_vertices(asset.character.rig.mesh, other->character.rig.mesh);  // Else an error, before edits.
    }
  }
  const Rig& rig = asset.character.rig;
  report.text += fmt::format("read       {}: {} vertices, {} joints\n", input.string(), rig.mesh.vertex_count(),
                             rig.skeleton.size());
  if (options.edit.any()) {
    pipeline::EditWeightsResult result;
    {
      const StageTimer timer(report, "edit");
      result = pipeline::edit_weights(asset.character, options.edit, progress);
    }
    report_edits(result, options.dry_run, report);
    asset.character = std::move(result.character);
    if (output) write_result(request, asset, *output, result.changes.vertices > 0, report, progress);
  }
  if (other) compare_with(rig, other->character.rig, options.compare, report);
  if (options.dry_run) report.text += "dry run    nothing was written\n";
  if (report.next.empty()) report.next = "sinew info " + shell_word(input);
  return report;
}

}  // namespace sinew::jobs
