// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/implicit/characters.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <vector>

#include "sinew/deform/implicit/implicit.h"
#include "sinew/deform/implicit/implicit_store.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/io/asset.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/player.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/pipeline/never_worse.h"
#include "sinew/pipeline/range_of_motion.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kImplicitFiles = {"rigged/CesiumMan.glb",
                                       "rigged/Fox.glb",
                                       "rigged/Knight.glb",
                                       "rigged/human-male.glb",
                                       "rigged/human-bunny.glb",
                                       "rigged/HVGirl.glb",
                                       "rigged/lumberjack.glb",
                                       "rigged/horse-animations.glb",
                                       "rigged/dragon-animations.glb",
                                       "rigged/100Avatars_002_CoolAlien.vrm",
                                       "rigged/Godette_vrm_v4.vrm",
                                       "rigged-fbx/arnaud.fbx",
                                       "rigged-fbx/Male_Adult_01.fbx",
                                       "rigged-fbx/Smooth_Male_Shirt.fbx",
                                       "rigged-fbx/Dog_Beagle_01.fbx",
                                       "rigged-fbx/Camel_OneHump_01.fbx",
                                       "zoo/stylised/Rogue.glb",
                                       "zoo/stylised/Zombie.fbx",
                                       "zoo/stylised/100Avatars_011_Teddy.vrm",
                                       "zoo/people/Business_Female_04.fbx",
                                       "zoo/people/Male_Suit.fbx",
                                       "zoo/creatures/Trex.fbx"};
constexpr double kNearRest_rad = 0.1;
constexpr int kNearRestPoses = 8;
constexpr double kMostFps = 15;
constexpr double kClipFrames = 60;  ///< Of all clips of a character, about.
constexpr double kStepSeconds = 2;
constexpr double kCoarseFps = 30;
constexpr int kFineSteps = 16;  ///< At 480 frames per second, of one step at `kCoarseFps`.
constexpr std::size_t kWatched = 6;
constexpr std::size_t kMostClips = 3;  ///< Of the file.
constexpr double kLeastFine = 0.97;
constexpr int kSharpParts = 16;
constexpr double kSharp = 0.5;       ///< Of a step, in a sixteenth of its time: a jump.
constexpr double kEvenRatio = 0.35;  ///< Up to it a correction changes evenly.

bool all_finite(const std::vector<Vec3f>& positions) {
  return std::all_of(positions.begin(), positions.end(), [](const Vec3f& p) { return p.allFinite(); });
}

void add_frame(const std::vector<Vec3f>& positions, const deform::FrameReport& report, StatusCounts& sums) {
  ++sums.frames;
  if (!all_finite(positions)) ++sums.not_finite;
  if (report.status.size() != positions.size()) ++sums.incomplete;
  for (const deform::VertexStatus status : report.status) ++sums.counts[static_cast<std::size_t>(status)];
}

/// The corrections of all vertices at one time.
class Corrections {
 public:
  Corrections(const Rig& rig, const motion::Player& player, const deform::Deformer& base,
              const deform::Deformer& corrected)
      : rig_(rig),
        player_(player),
        drivers_(rig.skeleton),
        base_(base),
        corrected_(corrected),
        base_state_(base.make_state()),
        state_(corrected.make_state()),
        before_(rig.mesh.positions.size()) {}

  void at(double time_s, std::vector<Vec3f>& result) {
    const ModelPose pose = motion::resolve(rig_.skeleton, player_.at(time_s), drivers_);
    result.resize(before_.size());
    base_.deform(*base_state_, {pose}, {before_, {}, nullptr});
    corrected_.deform(*state_, {pose}, {result, {}, nullptr});
    for (std::size_t v = 0; v < result.size(); ++v) result[v] -= before_[v];
  }

 private:
  const Rig& rig_;
  const motion::Player& player_;
  motion::Drivers drivers_;
  const deform::Deformer& base_;
  const deform::Deformer& corrected_;
  std::unique_ptr<deform::Deformer::State> base_state_, state_;
  std::vector<Vec3f> before_;
};

double largest_step(const std::vector<Vec3f>& from, const std::vector<Vec3f>& to) {
  double largest = 0;
  for (std::size_t v = 0; v < from.size(); ++v)
    largest = std::max(largest, static_cast<double>((to[v] - from[v]).norm()));
  return largest;
}

/// The beginnings of the thirtieths of a second in which the corrections change most, in order of time. Watching all of
/// them takes three times as long.
std::vector<double> busiest_moments(Corrections& corrections, double begin_s, double seconds, double& largest,
                                    const Progress& progress) {
  std::vector<std::pair<double, double>> changes;
  std::vector<Vec3f> before, now;
  corrections.at(begin_s, before);
  for (int i = 1; i <= static_cast<int>(std::floor(seconds * kCoarseFps + 1e-6)); ++i) {
    progress.check();
    corrections.at(begin_s + i / kCoarseFps, now);
    for (const Vec3f& c : now) largest = std::max(largest, static_cast<double>(c.norm()));
    changes.push_back({-largest_step(before, now), begin_s + (i - 1) / kCoarseFps});
    std::swap(before, now);
  }
  std::sort(changes.begin(), changes.end());
  std::vector<double> moments;
  for (std::size_t i = 0; i < std::min(kWatched, changes.size()); ++i) moments.push_back(changes[i].second);
  std::sort(moments.begin(), moments.end());
  return moments;
}

}  // namespace

double StatusCounts::share(deform::VertexStatus status) const {
  const auto sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  return sum == 0 ? 0 : static_cast<double>(counts[static_cast<std::size_t>(status)]) / static_cast<double>(sum);
}

double StatusCounts::fitted_or_frozen() const {
  return share(deform::VertexStatus::kFitted) + share(deform::VertexStatus::kFrozen);
}

CorrectionSteps correction_steps(const Rig& rig, const Clip& clip, const deform::Deformer& base,
                                 const deform::Deformer& corrected, double begin_s, double seconds,
                                 const Progress& progress) {
  const motion::Player player(rig, clip);
  Corrections corrections(rig, player, base, corrected);
  CorrectionSteps steps;
  const std::vector<double> watched = busiest_moments(corrections, begin_s, seconds, steps.largest, progress);
  std::vector<Vec3f> coarse, fine, next;
  Vec3f before = Vec3f::Zero();
  std::size_t vertex = 0;
  double moment = begin_s;
  for (const double from : watched) {
    corrections.at(from, coarse);
    fine = coarse;
    for (int frame = 1; frame <= kFineSteps; ++frame) {
      progress.check();
      corrections.at(from + frame / 480.0, next);
      for (std::size_t v = 0; v < fine.size(); ++v)
        if (const double step = (next[v] - fine[v]).norm(); step > steps.at_480)
          steps.at_480 = step, vertex = v, moment = from + (frame - 1) / 480.0, before = fine[v];
      std::swap(fine, next);
      if (frame % 4 != 0) continue;
      steps.at_120 = std::max(steps.at_120, largest_step(coarse, fine));
      coarse = fine;
    }
  }
  if (!(steps.at_480 > 0)) return steps;
  for (int part = 1; part <= kSharpParts; ++part) {
    corrections.at(moment + part / (480.0 * kSharpParts), next);
    steps.sharpest = std::max(steps.sharpest, static_cast<double>((next[vertex] - before).norm()) / steps.at_480);
    before = next[vertex];
  }
  return steps;
}

StatusCounts clip_statuses(const Rig& rig, const Clip& clip, const deform::Deformer& deformer, double fps,
                           const Progress& progress) {
  const motion::Player player(rig, clip);
  const motion::Drivers drivers(rig.skeleton);
  const auto state = deformer.make_state();
  StatusCounts sums;
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  for (int frame = 0; frame / fps <= player.duration_s(); ++frame) {
    progress.check();
    deform::FrameReport report;
    deformer.deform(*state, {motion::resolve(rig.skeleton, player.at(frame / fps), drivers)}, {positions, {}, &report});
    add_frame(positions, report, sums);
  }
  return sums;
}

StatusCounts statuses_near_rest(const Rig& rig, const deform::Deformer& deformer, int poses, double most_rad,
                                std::uint64_t seed) {
  geometry::Random dice(seed);
  const ModelPose bound = pipeline::bound_model_pose(rig);
  const auto state = deformer.make_state();
  StatusCounts sums;
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  for (int i = 0; i < poses; ++i) {
    ModelPose pose = bound;
    for (Index j = 0; j < rig.skeleton.size(); ++j) {
      const Index parent = rig.skeleton.joints[j].parent;
      const double x = dice.uniform(), y = dice.uniform(), z = dice.uniform();
      Mat4 turn = Mat4::Identity();
      turn.topLeftCorner<3, 3>() = rotation_exp(most_rad * (2 * Vec3(x, y, z) - Vec3::Ones())).toRotationMatrix();
      const Mat4 local = parent == kNone ? bound.joints[j] : Mat4(bound.joints[parent].inverse() * bound.joints[j]);
      pose.joints[j] = parent == kNone ? Mat4(local * turn) : Mat4(pose.joints[parent] * local * turn);
    }
    deform::FrameReport report;
    deformer.deform(*state, {pose}, {positions, {}, &report});
    add_frame(positions, report, sums);
  }
  return sums;
}

namespace {

/// What became of one character.
struct CharacterFigures {
  std::string name;
  Index vertices = 0, joints = 0, parts = 0;
  double size = 1;  ///< In m.
  StatusCounts near_rest, clips;
  CorrectionSteps steps;
  Index range_poses = 0, worse = 0;         ///< Poses of the range of motion, and those worse than by the base.
  double base_volume = 0, volume = 0;       ///< Median errors of the volume near bent joints.
  std::uint64_t base_pairs = 0, pairs = 0;  ///< Sums of intersecting triangles.
  double prepare_s = 0, from_bytes_s = 0;
  std::vector<double> frame_s;  ///< Of the clip "exercise", sorted.
  double times_lbs = 0;
};

double seconds_of(const auto& function) {
  const auto begin = Clock::now();
  function();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// As the program itself binds it, compared with its base through the range of motion.
void try_range(const Rig& rig, const deform::Deformer& base, const Progress& progress, CharacterFigures& figures) {
  Findings findings;
  const auto limited = pipeline::bind_deformer(rig, pipeline::deformer("implicit"), findings, progress);
  const pipeline::RangeResult range =
      pipeline::measure_range(rig, {{"dqs", base, ""}, {"implicit", *limited, ""}}, true, progress);
  figures.range_poses = static_cast<Index>(range.poses.size());
  figures.worse = range.methods[1].worse();
  figures.base_volume = range.methods[0].median_volume_error();
  figures.volume = range.methods[1].median_volume_error();
  for (const pipeline::RangeCase& one : range.methods[0].cases) figures.base_pairs += one.figures.intersections;
  for (const pipeline::RangeCase& one : range.methods[1].cases) figures.pairs += one.figures.intersections;
}

/// The time of each frame, sorted.
std::vector<double> frame_times(const Rig& rig, const std::vector<ModelPose>& poses, const deform::Deformer& deformer) {
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  std::vector<double> times;
  deformer.deform(*state, {poses.front()}, {positions, {}, nullptr});
  for (const ModelPose& pose : poses)
    times.push_back(seconds_of([&] { deformer.deform(*state, {pose}, {positions, {}, nullptr}); }));
  std::sort(times.begin(), times.end());
  return times;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<ModelPose> exercise_poses(const Rig& rig, int count) {
  const motion::Player player(rig, motion::builtin_clip(rig.skeleton, "exercise"));
  const motion::Drivers drivers(rig.skeleton);
  std::vector<ModelPose> poses;
  for (int i = 0; i < count; ++i)
    poses.push_back(motion::resolve(rig.skeleton, player.at(player.duration_s() * i / count), drivers));
  return poses;
}

CharacterFigures try_character(const std::string& name, const Character& character, int runs,
                               const Progress& progress) {
  const Rig& rig = character.rig;
  CharacterFigures figures;
  figures.name = name;
  figures.vertices = rig.mesh.vertex_count();
  figures.joints = rig.skeleton.size();
  figures.size = rig.mesh.size();
  const deform::DeformerMethod method = deform::implicit_method();
  std::vector<std::byte> bytes;
  figures.prepare_s = seconds_of([&] { bytes = method.prepare(rig, {}, method.options, progress); });
  std::unique_ptr<deform::Deformer> implicit;
  figures.from_bytes_s = seconds_of(
      [&] { implicit = deform::bind("implicit", rig, {}, progress, deform::MethodInputs{.prepared = bytes}); });
  const auto base = deform::bind("dqs", rig), linear = deform::bind("lbs", rig);
  if (const auto body = deform::read_implicit_body(bytes, rig.skeleton.size()))
    figures.parts = static_cast<Index>(body->parts.size());
  figures.near_rest = statuses_near_rest(rig, *implicit, kNearRestPoses, kNearRest_rad, 1);
  std::vector<Clip> clips(character.clips.begin(), character.clips.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                                 kMostClips, character.clips.size())));
  if (clips.empty()) clips.push_back(motion::builtin_clip(rig.skeleton, motion::fitting_clip(rig.skeleton)));
  double duration_s = 0;
  for (const Clip& clip : clips) duration_s += clip.duration_s();
  const double fps = std::min(kMostFps, kClipFrames / std::max(duration_s, 1.0));
  for (const Clip& clip : clips) {
    const StatusCounts counts = clip_statuses(rig, clip, *implicit, fps, progress);
    for (std::size_t s = 0; s < counts.counts.size(); ++s) figures.clips.counts[s] += counts.counts[s];
    figures.clips.frames += counts.frames;
    figures.clips.not_finite += counts.not_finite;
    figures.clips.incomplete += counts.incomplete;
  }
  figures.steps = correction_steps(rig, clips.front(), *base, *implicit, 0,
                                   std::min(kStepSeconds, clips.front().duration_s()), progress);
  try_range(rig, *base, progress, figures);
  if (runs > 0) {
    const auto poses = exercise_poses(rig, std::clamp(runs, 10, 200));
    figures.frame_s = frame_times(rig, poses, *implicit);
    figures.times_lbs = mean_of(figures.frame_s) / mean_of(frame_times(rig, poses, *linear));
  }
  return figures;
}

std::vector<std::string> status_row(const CharacterFigures& figures) {
  const auto percent = [](double share) { return fmt::format("{:.2f}", 100 * share); };
  using deform::VertexStatus;
  return {figures.name,
          std::to_string(figures.vertices),
          std::to_string(figures.joints),
          std::to_string(figures.parts),
          percent(figures.near_rest.fitted_or_frozen()),
          percent(figures.clips.fitted_or_frozen()),
          percent(figures.clips.share(VertexStatus::kContact)),
          percent(figures.clips.share(VertexStatus::kOutside)),
          percent(figures.clips.share(VertexStatus::kUnfinished)),
          std::to_string(figures.clips.not_finite + figures.near_rest.not_finite),
          fmt::format("{:.2f}", 1000 * figures.steps.largest / figures.size),
          fmt::format("{:.3f}", 1000 * figures.steps.at_120 / figures.size),
          fmt::format("{:.2f}", figures.steps.ratio()),
          fmt::format("{:.2f}", figures.steps.sharpest)};
}

std::vector<std::string> range_row(const CharacterFigures& figures) {
  return {figures.name,
          std::to_string(figures.range_poses),
          std::to_string(figures.worse),
          fmt::format("{:.3f}", figures.base_volume),
          fmt::format("{:.3f}", figures.volume),
          std::to_string(figures.base_pairs),
          std::to_string(figures.pairs)};
}

std::vector<std::string> time_row(const CharacterFigures& figures) {
  const auto per_vertex = [&](double seconds) { return fmt::format("{:.3f}", 1e6 * seconds / figures.vertices); };
  const auto late = figures.frame_s[std::min(figures.frame_s.size() - 1, figures.frame_s.size() * 99 / 100)];
  return {figures.name,
          std::to_string(figures.vertices),
          std::to_string(figures.parts),
          fmt::format("{:.2f}", figures.prepare_s),
          fmt::format("{:.2f}", figures.from_bytes_s),
          per_vertex(mean_of(figures.frame_s)),
          per_vertex(late),
          fmt::format("{:.1f}", figures.times_lbs)};
}

void find_misses(const CharacterFigures& figures, Findings& misses) {
  const auto miss = [&](std::string text) {
    misses.push_back({"reproduce.out_of_bounds", figures.name, std::move(text)});
  };
  for (const StatusCounts& counts : {figures.near_rest, figures.clips}) {
    if (counts.not_finite > 0) miss(fmt::format("{} frames are not finite.", counts.not_finite));
    if (counts.incomplete > 0) miss(fmt::format("{} frames have vertices without status.", counts.incomplete));
  }
  if (figures.near_rest.fitted_or_frozen() < kLeastFine)
    miss(fmt::format("Near rest only {:.1f} % of the vertices are fitted or frozen.",
                     100 * figures.near_rest.fitted_or_frozen()));
  if (figures.worse > 0) miss(fmt::format("{} of {} poses are worse than by dqs.", figures.worse, figures.range_poses));
  if (figures.steps.sharpest > kSharp)
    miss(fmt::format("A vertex jumps: {:.2f} of its largest step in a sixteenth of the time.", figures.steps.sharpest));
  if (figures.steps.ratio() > kEvenRatio)
    miss(fmt::format("The largest step at 480 frames per second is {:.2f} of that at 120.", figures.steps.ratio()));
}

}  // namespace

void implicit_characters(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  namespace fs = std::filesystem;
  ResultTable table{
      "characters",
      "Characters through their clips: statuses in per cent, corrections in thousandths of the size",
      "Fine: fitted or frozen. Near rest: every joint is turned by up to 0.1 rad about each axis. "
      "Correction and step: the largest correction, and its largest change in 1/120 s. Ratio: the largest "
      "change in 1/480 s relative to that; a quarter if it is even, 1 if it jumps or passes within a frame. Sharpest: "
      "the largest change within a sixteenth of that 1/480 s, relative to it; 0.06 if it is even, 1 if it jumps.",
      {"character", "vertices", "joints", "parts", "fine near rest", "fine", "contact", "outside", "unfinished",
       "not finite", "correction", "step", "ratio", "sharpest"},
      {}};
  ResultTable range{
      "range",
      "Characters through their range of motion, dqs and implicit",
      "As the program binds it, with corrections reduced where they would be worse. Worse: poses in which "
      "the surface is worse than by dqs in at least one figure. Volume: median error near the joints. "
      "Pairs: intersecting triangles of all poses that do not intersect at rest.",
      {"character", "poses", "worse", "dqs volume", "volume", "dqs pairs", "pairs"},
      {}};
  ResultTable times{"character_times",
                    "Characters: seconds of preparation, microseconds per vertex and frame",
                    "",
                    {"character", "vertices", "parts", "prepare", "from bytes", "mean", "99th", "times lbs"},
                    {}};
  const auto add = [&](const CharacterFigures& figures) {
    table.rows.push_back(status_row(figures));
    range.rows.push_back(range_row(figures));
    if (!figures.frame_s.empty()) times.rows.push_back(time_row(figures));
    find_misses(figures, result.misses);
  };
  add(try_character("made human", shapes::make("human", {}).made.character, options.runs, progress));
  for (const char* file : kImplicitFiles) {
    if (options.data.empty()) break;
    const fs::path path = fs::path(options.data) / file;
    const std::string name = path.stem().string();
    const bool wanted = options.only.empty() || std::count(options.only.begin(), options.only.end(), name) > 0;
    if (!fs::exists(path) || !wanted) continue;
    add(try_character(name, io::load(path, {}, progress).character, options.runs, progress));
  }
  // Other characters by the paths of their files, from the folder of real ones.
  for (const std::string& word : options.only) {
    const fs::path path = fs::path(options.data) / word;
    if (options.data.empty() || !fs::is_regular_file(path)) continue;
    add(try_character(path.stem().string(), io::load(path, {}, progress).character, options.runs, progress));
  }
  result.tables.push_back(std::move(table));
  result.tables.push_back(std::move(range));
  if (!times.rows.empty()) result.times.push_back(std::move(times));
}

}  // namespace sinew::lab
