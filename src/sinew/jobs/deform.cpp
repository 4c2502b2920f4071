// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/deform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "sinew/core/error.h"
#include "sinew/io/caches/mdd.h"
#include "sinew/io/caches/pc2.h"
#include "sinew/io/gltf/write_morphs.h"
#include "sinew/jobs/deform_frames.h"
#include "sinew/jobs/deform_motion.h"
#include "sinew/pipeline/bind_deformer.h"
#include "sinew/pipeline/morph_fit.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

/// Most memory for the frames of a clip.
constexpr double kMostBytes = 6e9;

// How the tolerance is shared out: keys may be off by so much, shapes shared by two keys add a seventh of that, whole
// numbers in place of floats the next; the rest is for rounding.
constexpr double kKeyShare = 0.7, kQuantumShare = 0.15;
// A part keeps its skin if the file's own linear skinning is as near as this.
constexpr double kSkinShare = 0.1;

enum class Delivery { kGltf, kPc2, kMdd, kObj };

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

Delivery delivery_of(const fs::path& output) {
  const std::string ending = ending_of(output);
  if (ending == ".glb" || ending == ".gltf") return Delivery::kGltf;
  if (ending == ".pc2") return Delivery::kPc2;
  if (ending == ".mdd") return Delivery::kMdd;
  if (ending == ".obj") return Delivery::kObj;
  throw Error(fmt::format("{} cannot be written: motion goes to .glb, .gltf, .pc2 and .mdd, one pose to .obj as well.",
                          output.string()));
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10000) return fmt::format("{} bytes", bytes);
  if (bytes < 1000000) return fmt::format("{:.0f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.2f} MB", static_cast<double>(bytes) / 1e6);
}

/// One run of the command.
struct DeformRun {
  const JobRequest& request;
  const DeformJobOptions& options;
  const Progress& progress;
  Report& report;
  fs::path output;
  Delivery delivery = Delivery::kGltf;
  io::Asset asset;
  ChosenMotion motion;
  FrameRange frames;
  PlayedFrames played;
  double size = 0;

  const Rig& rig() const { return asset.character.rig; }
  bool plain() const {  // What every engine does itself.
    return deform::deformers().find(options.method).id == "lbs" && options.deform.smooth == "none";
  }

  void read();
  void choose();
  void check_memory() const;
  void play_and_write();
  std::optional<motion::Player> make_player() const;

  io::Motion node_motion(const FramePlayer& player, const motion::Player* clip) const;
  void add_key_shapes(io::Motion& target);
  void write_gltf(const FramePlayer& player, const motion::Player* clip, bool history);
  void measure(const io::WithMotion& written, const FramePlayer& player, bool history);
  void tell_morphs(const io::WithMotion& written);
  void write_cache();
  void write_obj();
};

void DeformRun::read() {
  const StageTimer timer(report, "read");
  progress.step("reading", 0.0);
  asset = io::load(request.inputs.front(), options.placement, progress);
  report.inputs = asset.files;
  report.warn(asset.warnings);
  if (rig().skeleton.empty() || rig().weights.empty())
    throw Error(fmt::format("{} has no skeleton that moves a mesh, so there is nothing to deform.",
                            request.inputs.front().string()));
  if (delivery == Delivery::kGltf) asset = io::as_gltf(std::move(asset), report);
  size = rig().mesh.size();
  if (!(size > 0)) throw Error(fmt::format("{} has no size.", request.inputs.front().string()));
}

void DeformRun::choose() {
  if (options.clip.empty() == options.pose.empty())
    throw Error(options.clip.empty() ? fmt::format("Say what to play: --clip or --pose. {}", clips_there_are(asset))
                                     : "--clip and --pose do not go together: give one of them.");
  if (!options.pose.empty()) {
    if (!options.frames.empty()) throw Error("--frames needs --clip: a pose is one frame.");
    motion = read_pose(asset, options.pose, report.inputs);
    frames.times_s = {0.0};
    return;
  }
  motion = find_motion(asset, options.clip, report.inputs, report.warnings, progress);
  if (motion.own_clip == kNone) {
    // A clip that comes to others needs a name of its own.
    const std::string wanted = motion.name;
    const auto taken = [&](const Clip& clip) { return clip.name == motion.name; };
    for (int number = 2; std::any_of(asset.character.clips.begin(), asset.character.clips.end(), taken); ++number)
      motion.name = fmt::format("{}_{}", wanted, number);
    motion.clip->name = motion.name;
  }
  frames = choose_frames(options.frames, motion.clip->duration_s(), options.fps);
}

void DeformRun::check_memory() const {
  const double per_vertex = delivery == Delivery::kGltf ? 24 : 12;
  const double bytes = per_vertex * rig().mesh.vertex_count() * static_cast<double>(frames.times_s.size());
  if (bytes > kMostBytes)
    throw Error(fmt::format("{} frames of {} vertices are too many at once. Choose fewer with --frames or --fps.",
                            frames.times_s.size(), rig().mesh.vertex_count()));
}

std::optional<motion::Player> DeformRun::make_player() const {
  if (!motion.clip) return std::nullopt;
  return motion::Player(rig(), *motion.clip);
}

void DeformRun::play_and_write() {
  check_memory();
  const std::optional<motion::Player> clip = make_player();
  std::unique_ptr<deform::Deformer> deformer;
  {
    const StageTimer timer(report, "bind");
    deformer = bind_deformer(options.method, rig(), options.deform, report.warnings, progress);
  }
  const FramePlayer player(rig(), *deformer, clip ? &*clip : nullptr, motion.pose);
  {
    const StageTimer timer(report, "play");
    const bool with_normals =
        (delivery == Delivery::kGltf || delivery == Delivery::kObj) && !rig().mesh.normals.empty();
    played = player.play(frames, options.fps, with_normals, delivery == Delivery::kGltf && !plain(), report, progress);
  }
  const std::size_t count = frames.times_s.size();
  report.metrics["motion"] = motion.name;
  report.metrics["method"] = deform::deformers().find(options.method).id;
  report.metrics["frames"] = count;
  report.metrics["vertices"] = rig().mesh.vertex_count();
  report.metrics["duration_s"] = frames.from_start(count - 1);
  report.text += fmt::format("played     {}: {} {}, {}{}\n", motion.name, count, count == 1 ? "frame" : "frames",
                             deform::deformers().find(options.method).name,
                             options.deform.smooth == "none" ? "" : " and " + options.deform.smooth);
  if (delivery == Delivery::kGltf) write_gltf(player, clip ? &*clip : nullptr, deformer->needs_history());
  else if (delivery == Delivery::kObj) write_obj();
  else write_cache();
}

// What the joints' nodes do: the file's own clip as it is where that can be, else a new one, or a pose.
io::Motion DeformRun::node_motion(const FramePlayer& player, const motion::Player* clip) const {
  io::Motion target;
  target.name = motion.name;
  const bool drivers = std::any_of(rig().skeleton.joints.begin(), rig().skeleton.joints.end(),
                                   [](const Joint& joint) { return joint.driver.has_value(); });
  if (frames.times_s.size() == 1) {
    target.pose = player.pose_at(frames.times_s.front());
  } else if (frames.whole && !drivers) {
    if (motion.own_clip != kNone) target.own_clip = motion.own_clip;
    else target.clip = *motion.clip;
  } else {
    if (!frames.whole) target.name += fmt::format(" {}:{}", frames.first, frames.first + frames.times_s.size() - 1);
    target.clip = resampled(rig(), *clip, frames, target.name);
  }
  return target;
}

void DeformRun::add_key_shapes(io::Motion& target) {
  const StageTimer timer(report, "fit");
  const double tolerance = options.tolerance * size;
  target.quantum = kQuantumShare * tolerance;
  for (Index p = 0; p < rig().mesh.parts.size(); ++p) {
    const MeshPart& part = rig().mesh.parts[p];
    if (part.vertex_count == 0 || played.engine_error[p] <= kSkinShare * tolerance) continue;
    progress.step("choosing key shapes", static_cast<double>(p) / static_cast<double>(rig().mesh.parts.size()));
    const VertexFrames motion_of_part{frames.times_s, &played.positions, part.first_vertex, part.vertex_count};
    const MorphKeys keys = fit_keys(motion_of_part, kKeyShare * tolerance, progress);
    if (keys.shape_frames.size() > static_cast<std::size_t>(options.max_targets))
      throw Error(fmt::format(
          "'{}' needs {} key shapes to stay within {} of the size; --max-targets allows {}. Write a vertex cache "
          "instead "
          "(-o {}.pc2 or .mdd), allow more, choose a larger --tolerance or fewer --frames.",
          part.name, keys.shape_frames.size(), options.tolerance, options.max_targets, output.stem().string()));
    io::MorphPart morphs;
    morphs.part = p;
    for (const Index f : keys.shape_frames) {
      const auto run = [&](const std::vector<Vec3f>& all) {
        return std::vector<Vec3f>(all.begin() + part.first_vertex, all.begin() + part.first_vertex + part.vertex_count);
      };
      io::KeyShape& shape = morphs.shapes.emplace_back();
      shape.name = motion.clip ? fmt::format("{} {:.3f} s", motion.name, frames.times_s[f]) : motion.name;
      shape.positions = run(played.positions[f]);
      if (!played.normals.empty()) shape.normals = run(played.normals[f]);
    }
    for (std::size_t k = 0; k < keys.frames.size(); ++k) {
      morphs.key_times_s.push_back(static_cast<float>(frames.from_start(keys.frames[k])));
      morphs.key_shapes.push_back(keys.shapes[k]);
    }
    target.parts.push_back(std::move(morphs));
  }
}

void DeformRun::tell_morphs(const io::WithMotion& written) {
  Json parts = Json::array();
  Index targets = 0;
  for (const io::WrittenMorphs& morphs : written.morphs) {
    const std::string& name = rig().mesh.parts[morphs.part].name;
    targets += morphs.targets;
    parts.push_back({{"part", name},
                     {"targets", morphs.targets},
                     {"sparse_targets", morphs.sparse_targets},
                     {"numbers", morphs.numbers}});
    report.text += fmt::format("key shapes {} of '{}' as {}{}\n", morphs.targets, name, morphs.numbers,
                               morphs.sparse_targets > 0 ? fmt::format(", {} sparse", morphs.sparse_targets) : "");
  }
  report.metrics["targets"] = targets;
  report.metrics["morph_parts"] = std::move(parts);
  report.metrics["skinned_parts"] = rig().mesh.parts.size() - written.morphs.size();
  report.metrics["dropped_clips"] = written.dropped_clips;
  if (!written.dropped_clips.empty())
    report.warn("deform.dropped_clips", "",
                fmt::format("Clips that move what now has key shapes were left out: {}.",
                            fmt::join(written.dropped_clips, ", ")));
  if (written.morphs.empty())
    report.text += plain() ? "skinned    engines evaluate this method themselves; nothing was baked\n"
                           : "skinned    linear skinning shows the same within the tolerance; nothing was baked\n";
}

void DeformRun::measure(const io::WithMotion& written, const FramePlayer& player, bool history) {
  const StageTimer timer(report, "measure");
  progress.step("measuring", 0.8);
  double worst = 0, between = 0;
  for (std::size_t f = 0; f < frames.times_s.size(); ++f) {
    worst = std::max(worst, written_error(written, frames.from_start(f), rig(), played.positions[f]));
    if (history || f + 1 == frames.times_s.size()) continue;
    const double middle = 0.5 * (frames.times_s[f] + frames.times_s[f + 1]);
    between = std::max(between, written_error(written, middle - frames.times_s.front(), rig(), player.at(middle)));
  }
  report.metrics["error_rel"] = worst / size;
  if (!history) report.metrics["error_between_frames_rel"] = between / size;
  report.text += fmt::format(
      "error      {:.2g} of the size at the frames{}, as read back\n", worst / size,
      history || frames.times_s.size() == 1 ? "" : fmt::format(", {:.2g} half-way between them", between / size));
  if (worst > options.tolerance * size && !written.morphs.empty()) {
    report.status = Report::Status::kIncomplete;
    report.warn("deform.tolerance", "", "The tolerance was not reached.");
  }
}

void DeformRun::write_gltf(const FramePlayer& player, const motion::Player* clip, bool history) {
  io::Motion target = node_motion(player, clip);
  if (!plain()) add_key_shapes(target);
  io::WithMotion written;
  {
    const StageTimer timer(report, "write");
    written = io::with_motion(asset, target, report);
  }
  tell_morphs(written);
  measure(written, player, history);
  const StageTimer timer(report, "write");
  keep_backup(request, output);
  // Nothing of the file differs: it is saved as it came.
  const bool same = target.own_clip != kNone && written.morphs.empty() && asset.placement == Mat4::Identity();
  io::save(same ? asset : written.asset, output, {}, report);
}

void DeformRun::write_cache() {
  const StageTimer timer(report, "write");
  io::PointCache cache;
  cache.points = rig().mesh.vertex_count();
  cache.first_frame = frames.first;
  for (std::size_t f = 0; f < frames.times_s.size(); ++f) {
    cache.times_s.push_back(static_cast<float>(frames.times_s[f]));
    cache.positions.insert(cache.positions.end(), played.positions[f].begin(), played.positions[f].end());
    std::vector<Vec3f>().swap(played.positions[f]);
  }
  const io::Bytes bytes = delivery == Delivery::kPc2 ? io::write_pc2(cache) : io::write_mdd(cache);
  io::AtomicFiles files;
  files.add(output, bytes);
  files.commit();
  report.outputs.push_back(io::describe(output, bytes));
}

void DeformRun::write_obj() {
  const StageTimer timer(report, "write");
  Mesh& mesh = asset.character.rig.mesh;
  for (Index v = 0; v < mesh.vertex_count(); ++v) mesh.positions[v] = played.positions[0][v].cast<double>();
  if (!played.normals.empty()) {
    mesh.normals.values = std::move(played.normals[0]);
    mesh.normals.corners.clear();
  }
  keep_backup(request, output);
  io::SaveOptions save_options;
  save_options.changes.positions = true;
  io::save(asset, output, save_options, report);
}

}  // namespace

std::string DeformJobOptions::method_names() {
  std::string text;
  for (const auto& method : deform::deformers().entries())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", method.id, method.name);
  return text;
}

Report deform(const JobRequest& request, const DeformJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "deform";
  DeformRun run{request, options, progress, report, output_path(request, "deformed", ".glb"), {}, {}, {}, {}, {}, 0};
  run.delivery = delivery_of(run.output);
  deform::deformers().find(options.method);
  run.read();
  run.choose();
  if (run.delivery == Delivery::kObj && run.frames.times_s.size() != 1)
    throw Error(fmt::format("{} can hold one pose, not {} frames. Choose one with --frames N, or give a --pose.",
                            run.output.string(), run.frames.times_s.size()));
  run.play_and_write();
  std::uint64_t bytes = 0;
  for (const ReportFile& file : report.outputs) bytes += file.bytes;
  report.metrics["bytes"] = bytes;
  report.text += fmt::format("wrote      {}: {}\n", run.output.string(), bytes_text(bytes));
  const fs::path sheet = run.output.parent_path() / (run.output.stem().string() + "_sheet.png");
  report.next = run.delivery == Delivery::kGltf
                    ? fmt::format("sinew render {} --sheet -o {}", shell_word(run.output), shell_word(sheet))
                    : "sinew info " + shell_word(request.inputs.front());
  return report;
}

}  // namespace sinew::jobs
