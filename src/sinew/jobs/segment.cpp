// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/parts_json.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/segment.h"
#include "sinew/pipeline/segment_colors.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

void describe(const Segmentation& segmentation, Report& report) {
  const Segmentation::Statistics& s = segmentation.statistics;
  const std::set<Index> used(segmentation.owner.begin(), segmentation.owner.end());
  report.metrics = {{"vertices", segmentation.owner.size()},
                    {"bones", segmentation.segments.size()},
                    {"bones_with_vertices", used.size() - used.count(kNone)},
                    {"weak", s.weak},
                    {"spread", s.spread},
                    {"nearest", s.nearest},
                    {"seedless", s.seedless},
                    {"fragments", s.fragments},
                    {"merged_fragments", s.merged_fragments},
                    {"merged_vertices", s.merged_vertices}};
  report.text +=
      fmt::format("segmented  {} by {}; {} merged into their surroundings\n",
                  count_of(segmentation.owner.size(), "vertex", "vertices"),
                  count_of(segmentation.segments.size(), "bone"), count_of(s.merged_vertices, "vertex", "vertices"));
}

/// Adds the painted character to the files.
void write_colours(io::Asset asset, const Segmentation& segmentation, const fs::path& output, io::AtomicFiles& files,
                   Report& report) {
  const auto& format = io::format_of(output);
  if (!format.make.write || format.id == "rig")
    throw Error(
        fmt::format("{} cannot hold colours. Write a .glb or .gltf file, or a .json file of owners.", output.string()));
  pipeline::paint_segments(asset.character, segmentation);
  asset.character.clips.clear();
  io::Asset painted;
  painted.character = std::move(asset.character);
  io::SaveOptions save;
  save.changes.positions = save.changes.weights = save.changes.skeleton = true;
  format.make.write(painted, output, save, files, report);
}

}  // namespace

Report segment(const JobRequest& request, const SegmentJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "segment";
  const fs::path output = output_path(request, "_owners", ".json");
  const bool json = lower_case(output.extension().string()) == ".json";
  if (!json) io::format_of(output);  // Refuses an unknown ending before the work.
  progress.step("reading", 0.0);
  io::Asset asset = io::load(request.inputs.front(), options.placement, progress);
  report.inputs = asset.files;
  report.warn(asset.warnings);
  pipeline::SegmentResult result = pipeline::segment(asset.character, options.segmentation, progress);
  report.warn(result.findings);
  describe(result.segmentation, report);
  io::AtomicFiles files;
  if (!options.samples_output.empty()) {
    const fs::path path = output_path({{}, fs::path(options.samples_output), request.force}, "", "");
    const PartSamples samples = pipeline::part_samples(asset.character, false, progress);
    files.add(path, io::samples_json(samples));
    report.text += fmt::format("wrote      {}: samples of {}\n", path.string(), count_of(samples.size(), "part"));
  }
  // The built-in exercise moves more than a file of key shapes may hold.
  const std::string clip = motion::fitting_clip(asset.character.rig.skeleton);
  if (json) files.add(output, io::owners_json(result.segmentation, asset.character.rig.skeleton));
  else write_colours(std::move(asset), result.segmentation, output, files, report);
  for (const io::AtomicFiles::Written& written : files.written())
    report.outputs.push_back({written.target.string(), written.sha256, written.bytes});
  files.commit();
  report.text += fmt::format("wrote      {}\n", output.string());
  report.next = json ? fmt::format("sinew deform {} --clip {} --method implicit --owners {} -o out.glb",
                                   shell_word(request.inputs.front()), clip, shell_word(output))
                     : "sinew render " + shell_word(output);
  return report;
}

}  // namespace sinew::jobs
