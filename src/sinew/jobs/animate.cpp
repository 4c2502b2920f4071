// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/animate.h"

#include <fmt/format.h>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/map_file.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/motion/gestures/builtin_clips.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

// Whether a clip of a source ends as it begins.
bool repeats(const std::string& word, const pipeline::AnimateOptions& options) {
  constexpr std::string_view builtin = "builtin:";
  return options.retarget.loop ||
         (word.starts_with(builtin) && motion::builtin_clip_repeats(word.substr(builtin.size())));
}

void add_clips(io::Asset& asset, const std::string& word, const pipeline::AnimateOptions& options, bool loop_names,
               io::SaveOptions& save, Report& report, const Progress& progress) {
  const ClipSource source = find_clips(asset, word, progress);
  report.inputs.insert(report.inputs.end(), source.files.begin(), source.files.end());
  report.warn(source.warnings);
  for (Clip clip : source.clips) {
    if (loop_names && repeats(word, options)) clip.name += "-loop";
    const pipeline::AnimateResult result = pipeline::animate(asset.character, source.character, clip, options);
    save.new_clips.push_back(result.clip);
    report.warn(result.findings);
    report.text += pipeline::animate_text(result, asset.character, source.character);
    Json figures = pipeline::animate_figures(result, asset.character, source.character);
    figures["from"] = word;
    report.metrics["clips"].push_back(std::move(figures));
  }
}

}  // namespace

Report animate(const JobRequest& request, const AnimateJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "animate";
  const fs::path output = output_path(request, "animated", ".glb");
  if (const auto& format = io::format_of(output); format.id != "gltf")
    throw Error(
        fmt::format("{} cannot hold a character with clips. Write a .glb, .gltf or .vrm file.", output.string()));
  pipeline::AnimateOptions animate_options = options.animate;
  animate_options.map = read_map(options.map, report);
  io::Asset asset = io::load(request.inputs.front(), {}, progress);
  report.inputs.insert(report.inputs.begin(), asset.files.begin(), asset.files.end());
  report.warn(asset.warnings);
  if (asset.character.rig.skeleton.empty())
    throw Error(fmt::format("{} has no skeleton. Make one with `sinew rig`.", request.inputs.front().string()));
  report.text += fmt::format("read       {}: {}, {}\n", request.inputs.front().string(),
                             count_of(asset.character.rig.skeleton.size(), "joint"),
                             count_of(asset.character.clips.size(), "clip"));
  io::SaveOptions save;
  {
    const StageTimer timer(report, "animate");
    for (std::size_t i = 1; i < request.inputs.size(); ++i) {
      progress.step("animating", static_cast<double>(i) / static_cast<double>(request.inputs.size()));
      add_clips(asset, request.inputs[i].string(), animate_options, options.loop_names, save, report, progress);
    }
  }
  const StageTimer timer(report, "write");
  keep_backup(request, output);
  io::save(asset, output, save, report);
  report.text += fmt::format("wrote      {}: {}\n", output.string(), count_of(asset.character.clips.size(), "clip"));
  report.next = fmt::format("sinew render {} --clip {} --sheet -o {}", shell_word(output),
                            shell_word(asset.character.clips[save.new_clips.front()].name),
                            shell_word(output.parent_path() / (output.stem().string() + "_sheet.png")));
  return report;
}

}  // namespace sinew::jobs
