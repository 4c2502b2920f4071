// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/inbetween.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/caches/pc2.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/pipeline/inbetween_clip.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

enum class Target { kGltf, kPc2, kObj };

Target target_of(const fs::path& output) {
  const std::string ending = lower_case(output.extension().string());
  if (ending == ".glb" || ending == ".gltf") return Target::kGltf;
  if (ending == ".pc2") return Target::kPc2;
  if (ending == ".obj" && output.filename().string().find("%04d") != std::string::npos) return Target::kObj;
  throw Error(
      fmt::format("{} cannot be written: shapes between poses can be written to .glb, .gltf and .pc2 files, "
                  "and to .obj files with %04d in their name for the number of the frame.",
                  output.string()));
}

std::vector<double> seconds(const std::vector<std::string>& words, const char* option) {
  std::vector<double> values;
  for (const std::string& word : words) {
    double value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      throw Error(fmt::format("The option '{}' takes times in seconds; '{}' is not a number.", option, word));
    values.push_back(value);
  }
  return values;
}

pipeline::PoseSet read_poses(const JobRequest& request, const InbetweenJobOptions& options, Report& report,
                             const Progress& progress) {
  const StageTimer timer(report, "read");
  std::vector<pipeline::NamedCharacter> characters;
  io::Asset first;
  for (const fs::path& path : request.inputs) {
    progress.step("reading", static_cast<double>(characters.size()) / static_cast<double>(request.inputs.size()));
    io::Asset asset = io::load(path, options.placement, progress);
    report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
    if (characters.empty()) report.warn(asset.warnings);
    characters.push_back({path.filename().string(), asset.character});
    if (characters.size() == 1) first = std::move(asset);
  }
  const bool one = characters.size() == 1;
  if (!one && (!options.clip.empty() || !options.morph_poses.empty()))
    throw Error("The options 'clip' and 'morph_poses' take poses of one file; specify one file or neither option.");
  if (!one) return pipeline::poses_of_characters(std::move(characters));
  if (options.clip.empty()) return pipeline::poses_of_morphs(std::move(first.character), options.morph_poses);
  Findings warnings;
  const ChosenMotion motion = find_motion(first, options.clip, report.inputs, warnings, progress);
  report.warn(warnings);
  return pipeline::poses_of_clip(std::move(first.character), *motion.clip, seconds(options.at, "at"));
}

std::vector<double> key_times(const InbetweenJobOptions& options, std::size_t poses) {
  std::vector<double> times = seconds(options.times, "times");
  if (times.empty() && options.at.size() == poses) times = seconds(options.at, "at");
  if (times.empty())
    for (std::size_t p = 0; p < poses; ++p) times.push_back(static_cast<double>(p));
  if (times.size() != poses)
    throw Error(fmt::format("The option 'times' has {} and there are {}.", count_of(times.size(), "time"),
                            count_of(poses, "pose")));
  return times;
}

void write_pc2(const pipeline::Inbetween& between, const std::vector<double>& times, io::AtomicFiles& files,
               const fs::path& output) {
  std::vector<Vec3f> shape(between.character.rig.mesh.positions.size());
  io::AtomicFiles::Stream stream = files.open(output);
  stream.write(io::pc2_header(static_cast<Index>(shape.size()), times.size(), 0));
  for (const double time : times) {
    between.motion->evaluate(time, shape);
    stream.write(std::as_bytes(std::span(shape)));
  }
}

void write_objs(const pipeline::Inbetween& between, const std::vector<double>& times, bool force,
                const fs::path& output, io::AtomicFiles& files, Report& report) {
  io::Asset asset;
  asset.character = between.character;
  std::vector<Vec3f> shape(between.character.rig.mesh.positions.size());
  asset.character.rig.mesh.normals = {};
  for (std::size_t f = 0; f < times.size(); ++f) {
    between.motion->evaluate(times[f], shape);
    for (std::size_t v = 0; v < shape.size(); ++v) asset.character.rig.mesh.positions[v] = shape[v].cast<double>();
    std::string name = output.filename().string();
    name.replace(name.find("%04d"), 4, fmt::format("{:04}", f));
    const fs::path path = output.parent_path() / name;
    if (fs::exists(path) && !force)
      throw Error(fmt::format("{} exists already. Use --force to replace it, or choose another name.", path.string()));
    io::SaveOptions save;
    save.changes.positions = true;
    io::format_of(path).make.write(asset, path, save, files, report);
  }
}

void write_clip(const pipeline::Inbetween& between, const std::vector<double>& times,
                const InbetweenJobOptions& options, const fs::path& output, io::AtomicFiles& files, Report& report,
                const Progress& progress) {
  pipeline::InbetweenClip made = pipeline::inbetween_clip(between, times, "inbetween", options.key_shapes, progress);
  report.metrics["key_shapes"] = made.key_shapes;
  report.metrics["written_error"] = made.error;
  report.text += fmt::format("key shapes {}; at most {:.2g} of the size from the shapes themselves\n", made.key_shapes,
                             made.error);
  if (made.error > options.key_shapes.tolerance)
    report.warn("inbetween.inexact", "",
                fmt::format("Between its frames the file is up to {:.2g} of the size from the shapes, more than the "
                            "tolerance of {:.2g}. Use more frames per second.",
                            made.error, options.key_shapes.tolerance));
  io::Asset asset;
  asset.character = std::move(made.character);
  io::SaveOptions save;
  save.changes.positions = save.changes.weights = save.changes.skeleton = true;
  io::format_of(output).make.write(asset, output, save, files, report);
}

void describe(const pipeline::Inbetween& between, const pipeline::PoseSet& poses, std::size_t frames, Report& report) {
  const deform::CurveMotionFigures& figures = between.motion->figures();
  const Mesh& mesh = between.character.rig.mesh;
  report.metrics["poses"] = poses.names;
  report.metrics["vertices"] = mesh.vertex_count();
  report.metrics["curves"] = figures.curves;
  report.metrics["coverage"] = static_cast<double>(figures.covered) / std::max<double>(1, mesh.vertex_count());
  report.metrics["modes"] = figures.modes;
  report.metrics["prepared_bytes"] = figures.bytes;
  report.metrics["bytes_of_all_frames"] = frames * mesh.positions.size() * sizeof(Vec3f);
  report.metrics["frames"] = frames;
  report.metrics["joints"] = between.joints.size();
  report.metrics["skeleton_confidence"] = between.confidence;
  report.metrics["skin_residual"] = figures.residual_rms / mesh.size();
  report.metrics["metres_per_unit"] = between.metres;
  report.text +=
      fmt::format("poses      {} of {}\n", poses.names.size(), count_of(mesh.vertex_count(), "vertex", "vertices"));
  report.text += fmt::format("curves     {}, {:.0f} % of the vertices, {}\n", figures.curves,
                             100 * report.metrics["coverage"].get<double>(), count_of(figures.modes, "mode"));
  report.text += between.joints.empty()
                     ? "joints     none: vertices go straight from pose to pose\n"
                     : fmt::format("joints     {}; the skin is {:.2f} % of the size away from their motion\n",
                                   between.joints.size(), 100 * report.metrics["skin_residual"].get<double>());
}

}  // namespace

Report inbetween(const JobRequest& request, const InbetweenJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "inbetween";
  const fs::path output = output_path(request, "_inbetween", ".glb");
  const Target target = target_of(output);
  pipeline::PoseSet poses = read_poses(request, options, report, progress);
  const std::vector<double> times = key_times(options, poses.shapes.size());
  const std::vector<double> frames = pipeline::inbetween_frames(times, options.fps);
  StageClock clock(report);
  const pipeline::Inbetween between =
      pipeline::inbetween(poses, times, options.inbetween, progress, [&](const char* stage) { clock.begin(stage); });
  report.warn(between.findings);
  describe(between, poses, frames.size(), report);
  clock.begin("write");
  io::AtomicFiles files;
  if (target == Target::kPc2) write_pc2(between, frames, files, output);
  else if (target == Target::kObj) write_objs(between, frames, request.force, output, files, report);
  else write_clip(between, frames, options, output, files, report, progress);
  for (const io::AtomicFiles::Written& written : files.written())
    report.outputs.push_back({written.target.string(), written.sha256, written.bytes});
  files.commit();
  report.text += fmt::format("wrote      {}: {}\n", output.string(), count_of(frames.size(), "frame"));
  if (target == Target::kGltf)
    report.next = fmt::format("sinew render {} --clip inbetween --sheet", shell_word(output));
  return report;
}

}  // namespace sinew::jobs
