// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/deform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/caches/mdd.h"
#include "sinew/io/caches/pc2.h"
#include "sinew/io/gltf/write_morphs.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/motion/resample.h"
#include "sinew/pipeline/key_shapes.h"
#include "sinew/pipeline/play.h"
#include "sinew/pipeline/skin_corrections.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

/// Most memory for the frames of a clip that are kept to choose key shapes from.
constexpr double kMostBytes = 6e9;

enum class Delivery { kGltf, kPc2, kMdd, kObj };

Delivery delivery_of(const fs::path& output) {
  const std::string extension = lower_case(output.extension().string());
  if (extension == ".glb" || extension == ".gltf") return Delivery::kGltf;
  if (extension == ".pc2") return Delivery::kPc2;
  if (extension == ".mdd") return Delivery::kMdd;
  if (extension == ".obj") return Delivery::kObj;
  throw Error(
      fmt::format("{} cannot be written: motion can be written to .glb, .gltf, .pc2 and .mdd files, and a single pose "
                  "also to .obj.",
                  output.string()));
}

// The files of a person name vertices as the input has them, before a format that splits vertices takes its place.
io::Asset read_asset(const JobRequest& request, const DeformJobOptions& options, Delivery delivery,
                     pipeline::DeformerOptions& deformer, Report& report, const Progress& progress) {
  const StageTimer timer(report, "read");
  progress.step("reading", 0.0);
  const std::string name = request.inputs.front().string();
  io::Asset asset = io::load(request.inputs.front(), options.placement, progress);
  report.inputs = asset.files;
  report.warn(asset.warnings);
  const Rig& rig = asset.character.rig;
  if (rig.skeleton.empty() || rig.weights.empty())
    throw Error(fmt::format("{} has no skeleton that moves a mesh, so there is nothing to deform.", name));
  read_part_files(options.part_files, asset, deformer, report, !options.prepared_output.empty());
  if (delivery == Delivery::kGltf || !options.prepared_output.empty()) {
    std::vector<Index> vertices;
    asset = io::as_gltf(std::move(asset), report, &vertices);
    follow_vertices(vertices, deformer);
  }
  if (!(asset.character.rig.mesh.size() > 0)) throw Error(fmt::format("The mesh of {} has no extent.", name));
  return asset;
}

/// A name that no clip of the file has.
std::string unused_clip_name(const std::vector<Clip>& clips, const std::string& wanted) {
  std::string name = wanted;
  const auto taken = [&](const Clip& clip) { return clip.name == name; };
  for (int number = 2; std::any_of(clips.begin(), clips.end(), taken); ++number)
    name = fmt::format("{}_{}", wanted, number);
  return name;
}

ChosenMotion choose_motion(const io::Asset& asset, const DeformJobOptions& options, Report& report,
                           const Progress& progress) {
  if (options.clip.empty() == options.pose.empty())
    throw Error(options.clip.empty()
                    ? fmt::format("Specify what to play with the option 'clip' or the option 'pose'. {}",
                                  available_clips(asset))
                    : "The option 'clip' cannot be combined with the option 'pose'.");
  if (!options.pose.empty()) {
    if (!options.frames.empty()) throw Error("The option 'frames' needs the option 'clip': a pose is a single frame.");
    return read_pose(asset, options.pose, report.inputs);
  }
  ChosenMotion motion = find_motion(asset, options.clip, report.inputs, report.warnings, progress);
  if (motion.own_clip == kNone) motion.clip->name = motion.name = unused_clip_name(asset.character.clips, motion.name);
  return motion;
}

pipeline::PlaybackOptions playback_options(const DeformJobOptions& options, const Rig& rig, Delivery delivery) {
  pipeline::PlaybackOptions playback;
  playback.fps = options.fps;
  playback.frames = parse_frames(options.frames);
  playback.normals = (delivery == Delivery::kGltf || delivery == Delivery::kObj) && !rig.mesh.normals.empty();
  return playback;
}

void check_frames(const pipeline::FrameRange& frames, const Rig& rig, Delivery delivery, bool whole,
                  const fs::path& output) {
  const std::size_t count = frames.times_s.size();
  if (delivery == Delivery::kObj && count != 1)
    throw Error(
        fmt::format("{} can hold a single pose, not {} frames. Choose one with the option 'frames', or use the "
                    "option 'pose'.",
                    output.string(), count));
  const double bytes = 24.0 * rig.mesh.vertex_count() * static_cast<double>(count);
  if (delivery == Delivery::kGltf && whole && bytes > kMostBytes)
    throw Error(
        fmt::format("{} frames of {} vertices do not fit into memory. Write a vertex cache (.pc2 or .mdd), or "
                    "choose fewer frames with the option 'frames' or the option 'fps'.",
                    count, rig.mesh.vertex_count()));
}

pipeline::FrameRange wanted_frames(const ChosenMotion& motion, const pipeline::PlaybackOptions& options) {
  if (!motion.clip) return {.times_s = {0.0}};
  return pipeline::frame_range(motion.clip->duration_s(), options.fps, options.frames);
}

pipeline::Playback bind_playback(const io::Asset& asset, const ChosenMotion& motion,
                                 const pipeline::PlaybackOptions& playback, const pipeline::DeformerOptions& deformer,
                                 Report& report, const Progress& progress) {
  const StageTimer timer(report, "bind");
  if (motion.clip) return {asset.character, *motion.clip, deformer, playback, progress};
  return {asset.character, motion.pose, deformer, playback, progress};
}

// The frames, the middles between them, and the clip's own keys: engines blend joints between these.
std::vector<double> key_times(const pipeline::Playback& playback) {
  const std::vector<double>& frames = playback.frames().times_s;
  std::set<double> times(frames.begin(), frames.end());
  for (std::size_t f = 1; f < frames.size(); ++f) times.insert(0.5 * (frames[f - 1] + frames[f]));
  for (const Track& track : playback.player()->clip().tracks)
    for (const float key : track.times_s) {
      const auto time_s = static_cast<double>(key);
      const auto next = times.lower_bound(time_s);
      // A key within rounding of another time adds nothing.
      const bool known =
          (next != times.end() && *next - time_s < 1e-6) || (next != times.begin() && time_s - *std::prev(next) < 1e-6);
      if (time_s > frames.front() && time_s < frames.back() && !known) times.insert(time_s);
    }
  return {times.begin(), times.end()};
}

// The motion of the joints' nodes: the file's own clip where it serves unchanged, else a new one, or a pose.
io::Motion node_motion(const Rig& rig, const ChosenMotion& motion, const pipeline::Playback& playback) {
  const pipeline::FrameRange& frames = playback.frames();
  io::Motion target;
  target.name = motion.name;
  const bool drivers = std::any_of(rig.skeleton.joints.begin(), rig.skeleton.joints.end(),
                                   [](const Joint& joint) { return joint.driver.has_value(); });
  if (frames.times_s.size() == 1) {
    target.pose = playback.local_pose(frames.times_s.front());
  } else if (frames.whole && !drivers) {
    if (motion.own_clip != kNone) target.own_clip = motion.own_clip;
    else target.clip = *motion.clip;
  } else {
    if (!frames.whole) target.name += fmt::format(" {}:{}", frames.first, frames.first + frames.times_s.size() - 1);
    target.clip = motion::resampled(rig, *playback.player(), key_times(playback), target.name);
  }
  return target;
}

void report_morphs(const Mesh& mesh, const io::WithMotion& written, bool plain, Report& report) {
  Json parts = Json::array();
  Index targets = 0;
  for (const io::WrittenMorphs& morphs : written.morphs) {
    const std::string& name = mesh.parts[morphs.part].name;
    targets += morphs.targets;
    parts.push_back({{"part", name},
                     {"skinned", morphs.skinned},
                     {"targets", morphs.targets},
                     {"sparse_targets", morphs.sparse_targets},
                     {"numbers", morphs.numbers}});
    report.text += fmt::format("key shapes {} of '{}' as {}{}{}\n", morphs.targets, name, morphs.numbers,
                               morphs.skinned ? ", skin kept" : "",
                               morphs.sparse_targets > 0 ? fmt::format(", {} sparse", morphs.sparse_targets) : "");
  }
  report.metrics["targets"] = targets;
  report.metrics["morph_parts"] = std::move(parts);
  const auto whole = std::count_if(written.morphs.begin(), written.morphs.end(),
                                   [](const io::WrittenMorphs& morphs) { return !morphs.skinned; });
  report.metrics["skinned_parts"] = mesh.parts.size() - static_cast<std::size_t>(whole);
  report.metrics["dropped_clips"] = written.dropped_clips;
  if (!written.dropped_clips.empty())
    report.warn("deform.dropped_clips", "",
                fmt::format("Clips that move parts which now have key shapes are removed: {}.",
                            fmt::join(written.dropped_clips, ", ")));
  if (written.morphs.empty())
    report.text += plain ? "skinned    engines evaluate this method themselves; nothing is baked\n"
                         : "skinned    linear skinning shows the same within the tolerance; nothing is baked\n";
}

void report_error(const io::WithMotion& written, const Rig& rig, pipeline::Playback& playback, double tolerance,
                  bool between_too, Report& report, const Progress& progress) {
  const StageTimer timer(report, "measure");
  progress.step("measuring", 0.0);
  const pipeline::WrittenErrors errors = pipeline::written_errors(written, rig, playback, progress);
  const bool history = playback.deformer().needs_history();
  const double size = rig.mesh.size();
  report.metrics["error_rel"] = errors.frames / size;
  if (!history) report.metrics["error_between_frames_rel"] = errors.between / size;
  report.text += fmt::format(
      "error      {:.2g} of the size at the frames{}, read back from the file\n", errors.frames / size,
      history || playback.frames().times_s.size() == 1 ? ""
                                                       : fmt::format(", {:.2g} between them", errors.between / size));
  if (written.morphs.empty()) return;
  if (errors.frames > tolerance * size) {
    report.status = Report::Status::kIncomplete;
    report.warn("deform.tolerance", "",
                fmt::format("The error at the frames is {:.2g} of the size, more than the tolerance of {:g}.",
                            errors.frames / size, tolerance));
  } else if (between_too && errors.between > tolerance * size) {
    report.warn("deform.between_frames", "",
                fmt::format("The error between the frames is {:.2g} of the size, more than the tolerance of {:g}. Use "
                            "a larger value of the option 'fps'.",
                            errors.between / size, tolerance));
  }
}

// Key shapes of the parts that need them, in the form that was requested.
void fit_shapes(const Rig& rig, const ChosenMotion& motion, const DeformJobOptions& options,
                pipeline::Playback& playback, io::Motion& target, Report& report, const Progress& progress) {
  if (options.key_shapes.kind == pipeline::ShapeKind::kSkinned) {
    const StageTimer timer(report, "play");
    target.corrections = pipeline::fit_corrections(rig, playback, motion.name, options.key_shapes, progress);
    target.quantum = 0.05 * options.key_shapes.tolerance * rig.mesh.size();
    return;
  }
  pipeline::PlayedFrames played;
  {
    const StageTimer timer(report, "play");
    played = pipeline::play_all(rig, playback, true, progress);
  }
  const StageTimer timer(report, "fit");
  pipeline::KeyShapes shapes = pipeline::fit_key_shapes(rig, playback.frames(), played, motion.name,
                                                        motion.clip.has_value(), options.key_shapes, progress);
  target.parts = std::move(shapes.parts), target.quantum = shapes.quantum;
}

void write_gltf(const JobRequest& request, const fs::path& output, const io::Asset& asset, const ChosenMotion& motion,
                const DeformJobOptions& options, const std::function<pipeline::Playback()>& again,
                pipeline::Playback& playback, Report& report, const Progress& progress) {
  const Rig& rig = asset.character.rig;
  const bool plain = options.deformer.plain();
  io::Motion target = node_motion(rig, motion, playback);
  if (!plain) fit_shapes(rig, motion, options, playback, target, report, progress);
  io::WithMotion written;
  {
    const StageTimer timer(report, "write");
    written = io::with_motion(asset, target, report);
  }
  report_morphs(rig.mesh, written, plain, report);
  // One that remembers earlier frames has to start again.
  std::optional<pipeline::Playback> second;
  if (!plain && playback.deformer().needs_history()) second.emplace(again());
  report_error(written, rig, second ? *second : playback, options.key_shapes.tolerance,
               options.key_shapes.kind == pipeline::ShapeKind::kSkinned, report, progress);
  const StageTimer timer(report, "write");
  keep_backup(request, output);
  // Nothing of the file differs: it is saved as it came.
  const bool same = target.own_clip != kNone && written.morphs.empty() && asset.placement == Mat4::Identity();
  io::save(same ? asset : written.asset, output, {}, report);
}

// The characters of a name that every file system takes.
std::string file_word(const std::string& name) {
  std::string word;
  for (const char c : name) word += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
  return word;
}

/// A run of vertices and the file that holds it.
struct CacheFile {
  std::string name;  ///< Of the part.
  fs::path path;
  Index first = 0, count = 0;
};

// One file for the whole character or for its only part, else one for each part with vertices.
std::vector<CacheFile> cache_files(const JobRequest& request, const fs::path& output, const Mesh& mesh, Caches caches) {
  std::vector<CacheFile> files;
  std::set<std::string> taken;
  for (Index p = 0; p < mesh.parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    if (part.vertex_count == 0) continue;
    std::string word = file_word(part.name);
    if (word.empty()) word = fmt::format("part_{}", p);
    while (!taken.insert(lower_case(word)).second) word += fmt::format("_{}", p);
    const std::string name = fmt::format("{}_{}{}", output.stem().string(), word, output.extension().string());
    files.push_back({part.name, output.parent_path() / name, part.first_vertex, part.vertex_count});
  }
  if (caches == Caches::kWhole || files.size() < 2) return {{"", output, 0, mesh.vertex_count()}};
  for (CacheFile& file : files) file.path = output_path({request.inputs, file.path, request.force}, "", "");
  return files;
}

// Frames go to the files as they are computed.
void write_cache(const JobRequest& request, const fs::path& output, Delivery delivery, Caches caches, const Rig& rig,
                 pipeline::Playback& playback, Report& report, const Progress& progress) {
  const StageTimer timer(report, "play");
  const pipeline::FrameRange& frames = playback.frames();
  const std::vector<float> times(frames.times_s.begin(), frames.times_s.end());
  const std::vector<CacheFile> targets = cache_files(request, output, rig.mesh, caches);
  io::AtomicFiles files;
  std::vector<io::AtomicFiles::Stream> streams;
  for (const CacheFile& target : targets) {
    streams.push_back(files.open(target.path));
    streams.back().write(delivery == Delivery::kPc2 ? io::pc2_header(target.count, times.size(), frames.first)
                                                    : io::mdd_header(target.count, times));
    report.metrics["caches"].push_back(
        {{"part", target.name}, {"file", target.path.string()}, {"vertices", target.count}});
    if (targets.size() > 1)
      report.text += fmt::format("cache      '{}': {}, {}\n", target.name, target.path.filename().string(),
                                 count_of(target.count, "vertex", "vertices"));
  }
  progress.step("playing", 0.0);
  while (playback.next()) {
    progress.step("playing", static_cast<double>(playback.index() + 1) / static_cast<double>(times.size()));
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::span<const Vec3f> run = playback.positions().subspan(targets[i].first, targets[i].count);
      if (delivery == Delivery::kPc2) streams[i].write(std::as_bytes(run));
      else streams[i].write(io::mdd_frame(run));
    }
  }
  files.commit();
  for (const auto& file : files.written()) report.outputs.push_back({file.target.string(), file.sha256, file.bytes});
}

void write_obj(const JobRequest& request, const fs::path& output, io::Asset asset, pipeline::Playback& playback,
               Report& report) {
  {
    const StageTimer timer(report, "play");
    playback.next();
  }
  const StageTimer timer(report, "write");
  Mesh& mesh = asset.character.rig.mesh;
  for (Index v = 0; v < mesh.vertex_count(); ++v) mesh.positions[v] = playback.positions()[v].cast<double>();
  if (!playback.normals().empty()) {
    mesh.normals.values.assign(playback.normals().begin(), playback.normals().end());
    mesh.normals.corners.clear();
  }
  keep_backup(request, output);
  io::SaveOptions save_options;
  save_options.changes.positions = true;
  io::save(asset, output, save_options, report);
}

void report_playback(const ChosenMotion& motion, const DeformJobOptions& options, const Rig& rig,
                     const pipeline::FrameRange& frames, Report& report) {
  const std::size_t count = frames.times_s.size();
  const deform::DeformerMethod& method = deform::deformers().find(options.deformer.method.id());
  report.metrics["motion"] = motion.name;
  report.metrics["method"] = method.id;
  report.metrics["frames"] = count;
  report.metrics["vertices"] = rig.mesh.vertex_count();
  report.metrics["duration_s"] = frames.from_start(count - 1);
  report.text += fmt::format("played     {}: {}, {}{}{}\n", motion.name, count_of(count, "frame"), method.name,
                             options.deformer.delta_mush.enabled ? " and delta mush" : "",
                             options.deformer.contact.after_method() ? " with contact" : "");
}

void report_prepared(const pipeline::DeformerOptions& deformer, const io::Asset& asset, Report& report) {
  report.metrics["prepared_from_file"] = deformer.prepared->from_file();
  if (deformer.prepared->outdated(deformer.method.id()))
    report.warn("gltf.prepared", asset.path.filename().string(),
                "It holds prepared data for the method, but for another mesh or other options. It is not used.");
}

/// Where the character with prepared data goes; none if it was not requested.
fs::path prepared_path(const JobRequest& request, const DeformJobOptions& options) {
  if (options.prepared_output.empty()) return {};
  if (options.placement.any())
    throw Error("The option 'prepared_output' cannot be combined with options that move or scale the character.");
  const fs::path path = output_path({request.inputs, fs::path(options.prepared_output), request.force}, "", "");
  if (io::format_of(path).id != "gltf")
    throw Error(fmt::format("{} cannot hold prepared data. Write a .glb, .gltf or .vrm file.", path.string()));
  return path;
}

void write_prepared(const JobRequest& request, const fs::path& path, const io::Asset& asset,
                    const pipeline::PreparedStore& store, Report& report) {
  if (path.empty()) return;
  keep_backup(request, path);
  io::SaveOptions save;
  save.prepared = store.used();
  io::save(asset, path, save, report);
}

}  // namespace

Report deform(const JobRequest& request, const DeformJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "deform";
  const fs::path output = output_path(request, "deformed", ".glb");
  const Delivery delivery = delivery_of(output);
  const fs::path prepared = prepared_path(request, options);
  pipeline::DeformerOptions deformer = options.deformer;
  const io::Asset asset = read_asset(request, options, delivery, deformer, report, progress);
  const Rig& rig = asset.character.rig;
  const ChosenMotion motion = choose_motion(asset, options, report, progress);
  const pipeline::PlaybackOptions chosen = playback_options(options, rig, delivery);
  check_frames(wanted_frames(motion, chosen), rig, delivery,
               options.key_shapes.kind == pipeline::ShapeKind::kWhole && !options.deformer.plain(), output);
  pipeline::Playback playback = bind_playback(asset, motion, chosen, deformer, report, progress);
  report.warn(playback.findings());
  report_prepared(deformer, asset, report);
  if (!prepared.empty() && deformer.prepared->used().empty())
    throw Error(fmt::format("The method '{}' prepares nothing that could be stored.", deformer.method.id()));
  report_playback(motion, options, rig, playback.frames(), report);
  const auto again = [&] {
    return motion.clip ? pipeline::Playback(asset.character, *motion.clip, deformer, chosen, progress)
                       : pipeline::Playback(asset.character, motion.pose, deformer, chosen, progress);
  };
  switch (delivery) {
    case Delivery::kGltf:
      write_gltf(request, output, asset, motion, options, again, playback, report, progress);
      break;
    case Delivery::kObj:
      write_obj(request, output, asset, playback, report);
      break;
    default:
      write_cache(request, output, delivery, options.caches, rig, playback, report, progress);
  }
  write_prepared(request, prepared, asset, *deformer.prepared, report);
  report.fallbacks.insert(report.fallbacks.end(), playback.fallbacks().begin(), playback.fallbacks().end());
  std::uint64_t bytes = 0;
  for (const ReportFile& file : report.outputs) bytes += file.bytes;
  report.metrics["bytes"] = bytes;
  report.text += fmt::format("wrote      {}: {}\n",
                             report.outputs.size() > 1 ? count_of(report.outputs.size(), "file") : output.string(),
                             bytes_text(bytes));
  const fs::path sheet = output.parent_path() / (output.stem().string() + "_sheet.png");
  report.next = delivery == Delivery::kGltf
                    ? fmt::format("sinew render {} --sheet -o {}", shell_word(output), shell_word(sheet))
                    : "sinew info " + shell_word(request.inputs.front());
  return report;
}

}  // namespace sinew::jobs
