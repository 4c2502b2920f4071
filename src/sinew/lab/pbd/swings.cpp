// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Dynamics over very long clips: everything stays finite and bounded, and the same bytes come again.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "sinew/deform/pbd/pbd.h"
#include "sinew/io/asset.h"
#include "sinew/lab/pbd/pbd.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/player.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/animate.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

/// What a long run came to.
struct LongRun {
  std::uint64_t not_finite = 0;  ///< Frames.
  double farthest = 0;           ///< Displacement by dynamics, relative to the size.
  double mean = 0;               ///< Mean over frames of the largest one.
  std::uint64_t limited = 0;     ///< Frames in which energy that the solver added was taken back.
  double most_taken_back = 0;    ///< The largest share of a frame's energy.
  double taken_back = 0;         ///< Mean over all frames.
  std::uint64_t hash = 1469598103934665603ULL;
};

/// Plays a clip again and again. Every start is a jump of the pose.
LongRun long_run(const Rig& rig, const motion::Player& player, const deform::PbdOptions& own, double fps, int frames,
                 const Progress& progress) {
  deform::PbdOptions still = own;
  still.dynamics = false;
  const auto with = deform::bind("pbd", rig, own, progress), without = deform::bind("pbd", rig, still, progress);
  const auto history = with->make_state(), state = without->make_state();
  std::vector<Vec3f> swinging(rig.mesh.positions.size()), plain = swinging;
  LongRun run;
  for (int f = 0; f < frames; ++f) {
    if (f % 100 == 0) progress.check();
    const double time = std::fmod(f / fps, player.duration_s());
    const ModelPose pose = motion::resolve(rig.skeleton, player.at(time));
    deform::FrameReport report;
    with->deform(*history, {pose, time, f == 0 ? 0 : 1 / fps}, {swinging, {}, &report});
    run.limited += report.energy_taken_back > 0 ? 1 : 0;
    run.most_taken_back = std::max(run.most_taken_back, report.energy_taken_back);
    run.taken_back += report.energy_taken_back / frames;
    without->deform(*state, {pose, time, 0}, {plain, {}, nullptr});
    float most = 0;
    bool finite = true;
    for (std::size_t v = 0; v < plain.size(); ++v) {
      finite = finite && swinging[v].allFinite();
      most = std::max(most, (swinging[v] - plain[v]).norm());
      std::array<unsigned char, sizeof(Vec3f)> bytes;
      std::memcpy(bytes.data(), swinging[v].data(), sizeof(Vec3f));
      for (const unsigned char byte : bytes) run.hash = (run.hash ^ byte) * 1099511628211ULL;
    }
    run.not_finite += finite ? 0 : 1;
    run.farthest = std::max(run.farthest, static_cast<double>(most) / rig.mesh.size());
    run.mean += static_cast<double>(most) / rig.mesh.size() / frames;
  }
  return run;
}

/// The dance of a folder of data on the rig, or a built-in clip.
std::pair<std::string, Clip> dance(const std::string& data, const Rig& rig) {
  const std::filesystem::path file = std::filesystem::path(data) / "motion" / "cmu_05_02_dance.bvh";
  if (data.empty() || !std::filesystem::exists(file)) return {"run", motion::builtin_clip(rig.skeleton, "run")};
  const io::Asset asset = io::load(file);
  return {"dance", pipeline::retarget_clip(asset.character.rig, asset.character.clips.at(0), rig).clip};
}

}  // namespace

void pbd_swings(const ReproduceOptions& options, const Progress& progress, Reproduction& result, int frames) {
  shapes::MakeOptions make;
  make.vertices = 1500;
  const Rig rig = shapes::make("human", make).made.character.rig;
  const auto [name, clip] = dance(options.data, rig);
  const motion::Player player(rig, clip);
  deform::PbdOptions own;
  own.base = deform::PbdBase::kLbs;
  own.tets = 4000;
  own.dynamics = true;
  ResultTable table{
      "dynamics",
      "Dynamics over a long clip",
      fmt::format("A made human, the clip '{}' again and again, {} frames. Displacement by dynamics, in "
                  "thousandths of the size. Every start of the clip is a jump of the pose. Energy taken back is "
                  "what the solver added by not converging, as a share of the energy of the frame.",
                  name, frames),
      {"frames per second", "frames not finite", "largest displacement", "mean", "energy taken back, % of frames",
       "mean, %", "largest, %", "the same again"},
      {}};
  for (const double fps : {24.0, 30.0, 60.0}) {
    const LongRun run = long_run(rig, player, own, fps, frames, progress);
    const int some = std::min(frames, 500);
    const bool same =
        long_run(rig, player, own, fps, some, progress).hash == long_run(rig, player, own, fps, some, progress).hash;
    table.rows.push_back({fmt::format("{:g}", fps), fmt::format("{}", run.not_finite),
                          fmt::format("{:.1f}", 1000 * run.farthest), fmt::format("{:.1f}", 1000 * run.mean),
                          fmt::format("{:.1f}", 100.0 * static_cast<double>(run.limited) / frames),
                          fmt::format("{:.3f}", 100 * run.taken_back), fmt::format("{:.1f}", 100 * run.most_taken_back),
                          same ? "yes" : "no"});
    result.metrics["dynamics"].push_back({{"fps", fps},
                                          {"not_finite", run.not_finite},
                                          {"largest_rel", run.farthest},
                                          {"mean_rel", run.mean},
                                          {"frames_limited", run.limited},
                                          {"energy_taken_back", run.taken_back},
                                          {"most_taken_back", run.most_taken_back},
                                          {"same_again", same}});
    if (run.not_finite > 0 || !same)
      result.misses.push_back(
          {"reproduce.out_of_bounds", "dynamics",
           fmt::format("At {:g} frames per second {} frames are not finite, and a second run is {}.", fps,
                       run.not_finite, same ? "the same" : "another")});
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
