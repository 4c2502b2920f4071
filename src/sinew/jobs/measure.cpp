// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/jobs/measure_figures.h"
#include "sinew/jobs/measure_range.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/pipeline/heat_likeness.h"
#include "sinew/pipeline/measure.h"
#include "sinew/pipeline/range_of_motion.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> csv_path(const JobRequest& request, const MeasureOptions& options) {
  if (options.csv.empty() && !request.output) return std::nullopt;
  if (!options.csv.empty() && request.output)
    throw Error("Both -o and the option 'csv' specify the table to write. Use only one of them.");
  JobRequest table = request;
  if (!options.csv.empty()) table.output = fs::path(options.csv);
  for (const fs::path& input : request.inputs) {
    std::error_code problem;
    if (fs::equivalent(input, *table.output, problem) && !problem)
      throw Error(fmt::format("{} is an input, and the table would overwrite it. Choose another output.",
                              table.output->string()));
  }
  table.inputs.clear();
  fs::path path = output_path(table, "", "");
  if (path.extension() != ".csv")
    throw Error(fmt::format("{} cannot be written: the table of frames must be a .csv file.", path.string()));
  return path;
}

io::Asset load_for(Report& report, const fs::path& path, const MeasureOptions& options, const Progress& progress) {
  const StageTimer timer(report, "read");
  progress.step("reading", 0);
  io::Asset asset = io::load(path, options.placement, progress);
  report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
  report.warn(asset.warnings);
  return asset;
}

void refuse_contradictions(const MeasureOptions& options) {
  if (!options.frames.empty() && options.clip.empty())
    throw Error("The option 'frames' requires the option 'clip', which specifies the clip.");
  if (options.rom && !(options.clip.empty() && options.pose.empty() && options.against.empty()))
    throw Error("The option 'rom' poses the character by itself. Omit the options 'clip', 'pose' and 'against'.");
  if (!options.rom && !options.rom_methods.empty()) throw Error("The option 'rom_methods' requires the option 'rom'.");
  if (!options.rom && options.rom_angles != pipeline::RangeAngles::kWhole)
    throw Error("The option 'rom_angles' requires the option 'rom'.");
  if (!options.clip.empty() && !options.pose.empty())
    throw Error("The option 'clip' cannot be combined with the option 'pose'. Omit one of them.");
}

pipeline::MeasureMotion chosen_motion(const io::Asset& asset, const MeasureOptions& options, Report& report,
                                      const Progress& progress) {
  pipeline::MeasureMotion motion;
  if (options.clip.empty() && options.pose.empty()) return motion;
  const Rig& rig = asset.character.rig;
  if (rig.skeleton.empty())
    throw Error(fmt::format("{} has no skeleton, so it cannot be posed. Omit the option 'clip' and the option 'pose'.",
                            asset.path.string()));
  ChosenMotion chosen = options.clip.empty()
                            ? read_pose(asset, options.pose, report.inputs)
                            : find_motion(asset, options.clip, report.inputs, report.warnings, progress);
  motion.name = chosen.name;
  if (!chosen.clip) {
    motion.pose = std::move(chosen.pose);
    return motion;
  }
  motion.fps = options.fps;
  motion.frames = parse_frames(options.frames);
  motion.clip = std::move(chosen.clip);
  return motion;
}

std::unique_ptr<deform::Deformer> bound_deformer(const Rig& rig, const MeasureOptions& options, Report& report,
                                                 const Progress& progress) {
  return pipeline::bind_deformer(rig, options.deformer, report.warnings, progress);
}

std::string heading(const std::string& name, const Rig& rig, const std::string& motion, const MeasureOptions& options) {
  std::string text = fmt::format("{}: {} vertices, {} joints, by {}", name, rig.mesh.vertex_count(),
                                 rig.skeleton.size(), options.deformer.method.id());
  if (!options.clip.empty()) text += fmt::format(", clip '{}' at {:g} frames per second", motion, options.fps);
  return text + "\n\n";
}

void write_text(const fs::path& path, const std::string& text, const std::string& what, Report& report) {
  io::AtomicFiles files;
  files.add(path, text);
  files.commit();
  report.outputs.push_back(io::describe(path, io::as_bytes(text)));
  report.text += fmt::format("\nwrote      {}: {}\n", path.string(), what);
}

void write_table(const fs::path& path, const pipeline::MeasureResult& result, const Rig& rig, Report& report) {
  write_text(path, measure_csv(result, rig), fmt::format("{} frames", result.frames.size()), report);
}

constexpr const char* kDeltaMush = "delta_mush";

struct RangeChoice {
  std::string name, base;
  pipeline::DeformerOptions options;
};

/// The methods of a range of motion with their options, each after the one that it corrects.
std::vector<RangeChoice> range_methods(const MeasureOptions& options) {
  const std::string base = pipeline::DeformerOptions{}.method.id();
  std::vector<std::string> names = options.rom_methods;
  if (names.empty()) {
    for (const deform::DeformerMethod& method : deform::deformers().entries()) names.push_back(method.id);
    names.emplace_back(kDeltaMush);
  }
  std::vector<RangeChoice> methods = {{base, "", pipeline::deformer(base)}};
  const auto known = [&](const std::string& name) {
    return std::any_of(methods.begin(), methods.end(), [&](const RangeChoice& one) { return one.name == name; });
  };
  for (const std::string& name : names) {
    if (known(name)) continue;
    pipeline::DeformerOptions chosen = options.deformer;
    chosen.delta_mush.enabled = name == kDeltaMush;
    chosen.method.choose(name == kDeltaMush ? base : name);
    std::string own = pipeline::range_base(chosen.method.id(), chosen.method.options());
    if (!known(own)) methods.push_back({own, base, pipeline::deformer(own)});
    methods.push_back({name, std::move(own), std::move(chosen)});
  }
  return methods;
}

Report measure_rom(const JobRequest& request, const MeasureOptions& options, const std::optional<fs::path>& table,
                   Report report, const io::Asset& asset, const Progress& progress) {
  const Rig& rig = asset.character.rig;
  if (rig.skeleton.empty() || rig.weights.empty())
    throw Error(fmt::format("{} has no skin, so there is no range of motion to measure. Rig or bind it first.",
                            asset.path.string()));
  std::vector<std::unique_ptr<deform::Deformer>> deformers;
  std::vector<pipeline::RangeSubject> subjects;
  for (const auto& [name, base, chosen] : range_methods(options)) {
    const StageTimer timer(report, "bind " + name);
    deformers.push_back(pipeline::bind_deformer(rig, chosen, report.warnings, progress));
    subjects.push_back({name, *deformers.back(), base});
  }
  pipeline::RangeResult result;
  {
    const StageTimer timer(report, "measure");
    result = pipeline::measure_range(rig, subjects, options.meter.intersections, progress, options.rom_angles);
  }
  report.metrics = range_json(result, rig.skeleton);
  report.text = fmt::format("{}: {} vertices, {} joints, range of motion\n\n", asset.path.string(),
                            rig.mesh.vertex_count(), rig.skeleton.size()) +
                range_text(result, rig.skeleton);
  if (table) write_text(*table, range_csv(result, rig.skeleton), fmt::format("{} poses", result.poses.size()), report);
  report.next = "sinew info " + shell_word(request.inputs.front());
  return report;
}

}  // namespace

Report measure(const JobRequest& request, const MeasureOptions& options, const Progress& progress) {
  if (request.inputs.size() != 1) throw Error("The command measure reads one file: sinew measure FILE.");
  Report report;
  report.command = "measure";
  refuse_contradictions(options);
  const std::optional<fs::path> table = csv_path(request, options);
  const std::string name = request.inputs.front().string();
  const io::Asset asset = load_for(report, request.inputs.front(), options, progress);
  const Rig& rig = asset.character.rig;
  if (rig.mesh.vertex_count() == 0) throw Error(fmt::format("{} has no mesh to measure.", name));
  if (options.rom) return measure_rom(request, options, table, std::move(report), asset, progress);
  io::Asset other;
  if (!options.against.empty()) {
    other = load_for(report, options.against, options, progress);
    pipeline::require_comparable(rig, other.character.rig);
  }
  const pipeline::MeasureMotion motion = chosen_motion(asset, options, report, progress);
  const auto deformer = bound_deformer(rig, options, report, progress);
  std::unique_ptr<deform::Deformer> other_deformer;
  std::optional<pipeline::MeasureReference> reference;
  if (!options.against.empty()) {
    other_deformer = bound_deformer(other.character.rig, options, report, progress);
    reference.emplace(pipeline::MeasureReference{other.character, *other_deformer});
  }
  pipeline::MeasureResult result;
  {
    const StageTimer timer(report, "measure");
    result = pipeline::measure(asset.character, *deformer, motion, reference, options.meter, progress);
  }
  report.warn(result.findings);
  report.metrics = measure_json(result, rig);
  report.text = heading(name, rig, motion.name, options) + measure_text(result, rig);
  if (const auto heat = pipeline::heat_likeness(rig, progress)) {
    report.metrics["weights_like_heat"] = heat->json();
    if (heat->looks_like_heat())
      report.text += fmt::format("The weights look like plain bone heat: {}\n", heat->sentence());
  }
  if (table) write_table(*table, result, rig, report);
  report.next = !options.clip.empty() || asset.character.clips.empty()
                    ? "sinew info " + shell_word(request.inputs.front())
                    : fmt::format("sinew measure {} --clip {}", shell_word(request.inputs.front()),
                                  shell_word(asset.character.clips.front().name));
  return report;
}

}  // namespace sinew::jobs
