// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/helpers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sinew/core/error.h"
#include "sinew/core/result_table.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/helpers_json.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

using pipeline::HelpersResult;
using pipeline::TwistBoneResult;

fs::path helpers_output(const JobRequest& request) {
  const std::string name = request.inputs.front().filename().string();
  std::string extension = ".glb";
  for (const char* own : {".gltf", ".vrm", ".rig.json"})
    if (name.ends_with(own)) extension = own;
  const fs::path output = output_path(request, "helpers", extension);
  const auto& format = io::format_of(output);
  if (format.id != "gltf" && format.id != "rig")
    throw Error(
        fmt::format("{} cannot hold helper joints. Write a .glb, .gltf, .vrm or .rig.json file.", output.string()));
  return output;
}

const std::string& name_of(const HelpersResult& result, Index joint) {
  return result.character.rig.skeleton.joints[joint].name;
}

void report_cap(const pipeline::InfluenceCap& cap, Report& report) {
  report.metrics["cap"] = {
      {"influences", cap.influences}, {"rows", cap.rows}, {"largest_share_dropped", cap.largest_share_dropped}};
  if (!cap.posed) return;
  report.metrics["cap"]["largest_displacement_m"] = cap.posed->max;
  report.metrics["cap"]["rms_displacement_m"] = cap.posed->rms;
  report.text += fmt::format(
      "cap        {} influences: {} rows cut, {:.2g} % of a row at most; a vertex moves by {:.2g} m at most when any "
      "joint rotates by 45°\n",
      cap.influences, cap.rows, 100 * cap.largest_share_dropped, cap.posed->max);
}

void report_twists(const HelpersResult& result, double max_twist_rad, Report& report) {
  if (result.twists.empty()) return;
  ResultTable table;
  table.id = "twists";
  table.title = fmt::format(
      "twist      {} joints on {} bones; at {:g}° the thinnest section and the distance from SLBS, in % of the size:",
      static_cast<std::size_t>(result.per_bone) * result.twists.size(), result.twists.size(), degrees(max_twist_rad));
  table.header = {"bone", "from", "vertices", "thinnest", "now", "formula", "SLBS", "off SLBS", "now", "at most"};
  const auto number = [](double value) { return fmt::format("{:.3f}", value); };
  report.metrics["twists"] = Json::array();
  for (const TwistBoneResult& twist : result.twists) {
    const rigging::TwistBone& bone = twist.joints.bone;
    table.rows.push_back({fmt::format("{} → {}", name_of(result, bone.joint), name_of(result, bone.child)),
                          bone.near ? "near" : "far", fmt::format("{}", twist.joints.vertices),
                          number(twist.before.thinnest), number(twist.after.thinnest), number(twist.formula_section),
                          number(twist.slbs_section), number(100 * twist.before.rms_rel),
                          number(100 * twist.after.rms_rel), number(100 * twist.after.max_rel)});
    report.metrics["twists"].push_back(pipeline::twist_json(result, twist));
  }
  report.metrics["per_bone"] = result.per_bone;
  report.metrics["rigid_vertices"] = result.rigid_vertices;
  report.text += table_text(table);
}

void report_bends(const HelpersResult& result, Report& report) {
  if (result.bends.empty()) return;
  ResultTable table;
  table.id = "bends";
  table.title = fmt::format("bend       {} joints; volume near each at 90°, relative to rest:", result.bends.size());
  table.header = {"joint", "helper", "vertices", "before", "after"};
  report.metrics["bends"] = Json::array();
  for (const rigging::BendJoint& bend : result.bends) {
    table.rows.push_back({name_of(result, bend.joint), name_of(result, bend.helper), fmt::format("{}", bend.vertices),
                          fmt::format("{:.3f}", bend.volume_before), fmt::format("{:.3f}", bend.volume_after)});
    report.metrics["bends"].push_back({{"joint", name_of(result, bend.joint)},
                                       {"helper", name_of(result, bend.helper)},
                                       {"vertices", bend.vertices},
                                       {"growth_per_rad2", bend.growth},
                                       {"volume", {{"before", bend.volume_before}, {"after", bend.volume_after}}}});
  }
  report.text += table_text(table);
}

// Whether the helpers move in programs that do not know their drivers.
void report_clips(const HelpersResult& result, bool baked, Report& report) {
  const std::vector<Clip>& clips = result.character.clips;
  const std::size_t count = baked && result.joints_added > 0 ? result.longer_clips.size() + result.new_clips.size() : 0;
  if (baked) report.metrics["baked_clips"] = count;
  std::vector<std::string> added;
  for (const Index clip : result.new_clips) added.push_back(clips[clip].name);
  report.metrics["added_clips"] = added;
  if (!added.empty()) report.text += fmt::format("clips      {} added\n", fmt::join(added, ", "));
  if (count > 0) report.text += fmt::format("baked      into {}\n", count_of(count, "clip"));
  report.metrics["moves_in_engines"] = count > 0;
  if (count == 0 && result.joints_added > 0)
    report.text += fmt::format(
        "note       The helper joints stand still in engines, because {}. {}, or evaluate the drivers with the scripts "
        "in examples/godot and examples/three.\n",
        clips.empty() ? "the file has no clip that contains their motion" : "their motion was not baked into the clips",
        clips.empty() ? "Add clips with --bake-clips builtin" : "Omit --no-bake");
}

void write(const JobRequest& request, const io::Asset& asset, const HelpersResult& result, const fs::path& output,
           Report& report) {
  const StageTimer timer(report, "write");
  keep_backup(request, output);
  io::SaveOptions save;
  save.changes.weights = true;
  save.changes.skeleton = true;
  save.longer_clips = result.longer_clips;
  save.new_clips = result.new_clips;
  io::save(asset, output, save, report);
  report.text += fmt::format("wrote      {}\n", output.string());
  if (io::format_of(output).id == "rig") report.next = "sinew info " + shell_word(output);
  else
    report.next = fmt::format("sinew render {} --clip exercise --sheet -o {}", shell_word(output),
                              shell_word(output.parent_path() / (output.stem().string() + "_sheet.png")));
}

}  // namespace

Report helpers(const JobRequest& request, const pipeline::HelpersOptions& options, const Progress& progress) {
  Report report;
  report.command = "helpers";
  const fs::path output = helpers_output(request);
  if (!options.bake_clips.empty() && io::format_of(output).id == "rig")
    throw Error(fmt::format("{} cannot hold clips. Write a .glb, .gltf or .vrm file, or omit the option 'bake_clips'.",
                            output.string()));
  io::Asset asset;
  {
    const StageTimer timer(report, "read");
    progress.step("reading", 0.0);
    asset = io::load(request.inputs.front(), {}, progress);
  }
  report.inputs = asset.files;
  report.warn(asset.warnings);
  report.text += fmt::format("read       {}: {} vertices, {} joints\n", request.inputs.front().string(),
                             asset.character.rig.mesh.vertex_count(), asset.character.rig.skeleton.size());
  HelpersResult result;
  {
    const StageTimer timer(report, "add");
    result = pipeline::add_helpers(asset.character, options, progress);
  }
  report.warn(result.findings);
  report_cap(result.cap, report);
  report_twists(result, options.max_twist_rad, report);
  report_bends(result, report);
  report.metrics["reductions"] = pipeline::reductions_json(result);
  report_clips(result, options.bake, report);
  report.metrics["joints_added"] = result.joints_added;
  if (result.joints_added == 0) {
    report.status = Report::Status::kIncomplete;
    report.text += "none       No helper joint was added, because each would make the surface worse.\n";
  }
  progress.step("writing", 0.9);
  std::swap(asset.character, result.character);
  write(request, asset, result, output, report);
  return report;
}

}  // namespace sinew::jobs
