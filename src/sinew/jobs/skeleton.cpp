// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/skeleton.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/io/gltf/remove_nodes.h"
#include "sinew/io/gltf/rotate_nodes.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

bool edits(const SkeletonJobOptions& options) {
  const pipeline::SkeletonOptions& edit = options.skeleton;
  return edit.names != pipeline::NameSource::kKeep || !options.preset.empty() || !edit.rename.empty() ||
         !edit.remove.empty() || !edit.reparent.empty() || !edit.add.empty() || edit.add_root || !edit.limits.empty();
}

void report_naming(const pipeline::SkeletonResult& result, Report& report) {
  report.metrics["joints"] = Json::array();
  for (const pipeline::JointNaming& joint : result.naming) {
    report.metrics["joints"].push_back({{"name", joint.before},
                                        {"new_name", joint.after},
                                        {"role_by_name", joint.role_by_name},
                                        {"role_by_shape", joint.role_by_shape}});
    report.text += fmt::format(
        "  {:<32} {:<20} {:<20} {}\n", joint.before, joint.role_by_name.empty() ? "-" : joint.role_by_name,
        joint.role_by_shape.empty() ? "-" : joint.role_by_shape, joint.after == joint.before ? "" : "→ " + joint.after);
  }
}

void report_preset(const pipeline::PresetChanges& changes, Report& report) {
  report.metrics["preset"] = {{"attached", changes.attached}, {"root", changes.root}, {"axes", changes.axes}};
  if (!changes.attached.empty())
    report.text += fmt::format("attached   {} to the limb above\n", fmt::join(changes.attached, ", "));
  if (!changes.root.empty()) report.text += fmt::format("added      '{}' above the hips\n", changes.root);
  if (changes.axes > 0) report.text += fmt::format("axes       {} rotated\n", count_of(changes.axes, "joint"));
}

void write(const JobRequest& request, const fs::path& output, io::Asset& asset, const pipeline::SkeletonResult& result,
           Report& report) {
  asset.character = result.character;
  io::remove_nodes(asset, result.removed_nodes, report);
  io::rotate_nodes(asset, result.rotated_nodes);
  keep_backup(request, output);
  io::SaveOptions save;
  save.changes.skeleton = save.changes.weights = true;
  save.longer_clips = result.longer_clips;
  io::save(asset, output, save, report);
  report.text += fmt::format("wrote      {}: {}; the rest shape moved by {:.2g} of the size at most\n", output.string(),
                             count_of(asset.character.rig.skeleton.size(), "joint"), result.largest_move);
  report.next = "sinew info " + shell_word(output);
}

}  // namespace

Report skeleton(const JobRequest& request, const SkeletonJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "skeleton";
  const bool writes = edits(options);
  if (!writes && request.output)
    throw Error("There is nothing to write, because no edit of the skeleton is requested.");
  const fs::path output = writes ? output_path(request, "skeleton", ".glb") : fs::path();
  if (writes && io::format_of(output).id != "gltf")
    throw Error(fmt::format("{} cannot hold a rigged character. Write a .glb, .gltf or .vrm file.", output.string()));
  pipeline::SkeletonOptions edit = options.skeleton;
  edit.preset = options.preset;
  if (lower_case(options.preset).ends_with(".json")) {
    const io::Bytes bytes = io::read_json_bytes(options.preset);
    report.inputs.push_back(io::describe(options.preset, bytes));
    edit.preset = rigging::read_preset(std::string(io::as_text(bytes)), options.preset);
  }
  io::Asset asset = io::load(request.inputs.front(), {}, progress);
  report.inputs.insert(report.inputs.begin(), asset.files.begin(), asset.files.end());
  report.warn(asset.warnings);
  const pipeline::SkeletonResult result = pipeline::edit_skeleton(asset.character, edit);
  report.warn(result.findings);
  report.text += fmt::format("{:<34} {:<20} {}\n", "joint", "by name", "by shape");
  report_naming(result, report);
  report.metrics["largest_move"] = result.largest_move;
  report_preset(result.preset, report);
  if (writes) write(request, output, asset, result, report);
  else report.next = fmt::format("sinew skeleton {} --names auto", shell_word(request.inputs.front()));
  return report;
}

}  // namespace sinew::jobs
