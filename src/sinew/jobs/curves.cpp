// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/curves.h"

#include <fmt/format.h>

#include <filesystem>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/curves_json.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

Json limb_metrics(const pipeline::CurvesResult& result) {
  Json limbs = Json::array();
  for (const CurveLimb& limb : result.curves.limbs)
    limbs.push_back({{"tip", limb.tip},
                     {"curves", limb.curves.size()},
                     {"source", limb.level_sets ? "levels" : "edges"},
                     {"length", limb.length},
                     {"radius", limb.radius},
                     {"bends", Json::array()}});
  for (std::size_t i = 0; i < result.bends.size(); ++i)
    for (const rigging::CurveBend& bend : result.bends[i])
      limbs[result.skeleton.limbs[i].limb]["bends"].push_back(
          {{"fraction", bend.along / result.skeleton.limbs[i].length()}, {"degrees", bend.angle_rad / kRadPerDegree}});
  return limbs;
}

void describe_curves(const pipeline::CurvesResult& result, Report& report) {
  const CurveSet& set = result.curves;
  Index leveled = 0;
  for (const CurveLimb& limb : set.limbs) leveled += limb.level_sets ? 1 : 0;
  report.metrics = {{"curves", set.curves.size()},
                    {"closed", set.closed_count()},
                    {"uncovered_vertices", set.uncovered},
                    {"limbs", limb_metrics(result)},
                    {"trunks", Json::array()}};
  for (const std::vector<Index>& trunk : set.trunks) report.metrics["trunks"].push_back(trunk.size());
  if (!result.template_name.empty())
    report.metrics["template"] = {{"name", result.template_name}, {"cost", result.template_cost}};
  report.text +=
      fmt::format("found      {}, {} of them closed\n", count_of(set.curves.size(), "curve"), set.closed_count());
  report.text += fmt::format("limbs      {}, {} by level sets\n", set.limbs.size(), leveled);
  if (!result.template_name.empty()) report.text += fmt::format("template   {} fits them\n", result.template_name);
  if (set.limbs.empty())
    report.warn("curves.no_limbs", "",
                "The mesh has no limbs, so that there are no curves around them. Specify the ends of limbs with the "
                "option 'tips'.");
}

}  // namespace

Report curves(const JobRequest& request, const CurvesJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "curves";
  const fs::path output = output_path(request, "_curves", ".json");
  const bool json = lower_case(output.extension().string()) == ".json";
  if (!json) {
    const auto& format = io::format_of(output);
    if (!format.make.write || format.id == "rig")
      throw Error(fmt::format("{} cannot hold colours. Write a .glb or .gltf file, or a .json file of curves.",
                              output.string()));
  }
  progress.step("reading", 0.0);
  io::Asset asset = io::load(request.inputs.front(), options.placement, progress);
  report.inputs = asset.files;
  report.warn(asset.warnings);
  const pipeline::CurvesResult result = pipeline::find_curves(asset.character, options.curves, progress);
  report.warn(result.curves.findings);
  describe_curves(result, report);
  io::AtomicFiles files;
  if (json) {
    files.add(output, io::curves_json(result.curves, asset.character.rig.mesh.positions));
  } else {
    io::Asset painted;
    painted.character = std::move(asset.character);
    pipeline::paint_curves(painted.character, result);
    io::SaveOptions save;
    save.changes.positions = save.changes.weights = save.changes.skeleton = true;
    io::format_of(output).make.write(painted, output, save, files, report);
  }
  for (const io::AtomicFiles::Written& written : files.written())
    report.outputs.push_back({written.target.string(), written.sha256, written.bytes});
  files.commit();
  report.text += fmt::format("wrote      {}\n", output.string());
  report.next = fmt::format("sinew render {} --show skin,curves", shell_word(request.inputs.front()));
  return report;
}

}  // namespace sinew::jobs
