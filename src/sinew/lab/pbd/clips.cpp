// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Fig. 17 of the paper: clips, with the times of the stages.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "sinew/core/parallel.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_system.h"
#include "sinew/lab/pbd/pbd.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/player.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

/// The paper's two clips: constraints of all kinds, and frames per second with a GPU.
struct PaperClip {
  const char* model;
  const char* kind;
  const char* clip;
  int vertices, tets, constraints;
  double fps;
};
constexpr std::array<PaperClip, 2> kPaperClips = {
    {{"human", "human", "run", 24461, 51110, 184000, 17.74}, {"dog", "quadruped", "trot", 18114, 30790, 109000, 25.6}}};

/// What a stage adds is the difference of two runs, with and without it.
struct ClipStage {
  const char* name;
  int sweeps_share;  ///< 0: linear blending alone.
  bool even_out, skin_fit, skin_volume, contact, dynamics;
};
constexpr std::array<ClipStage, 7> kClipStages = {{{"linear blending", 0, false, false, false, false, false},
                                                   {"tetrahedra", 1, false, false, false, false, false},
                                                   {"smoothing", 1, true, false, false, false, false},
                                                   {"skin fit", 1, true, true, false, false, false},
                                                   {"skin volume", 1, true, true, true, false, false},
                                                   {"contact", 1, true, true, true, true, false},
                                                   {"dynamics", 1, true, true, true, false, true}}};

pipeline::DeformerOptions options_of(const ClipStage& stage, int tets) {
  if (stage.sweeps_share == 0) return pipeline::deformer("lbs");
  deform::PbdOptions own;
  own.base = deform::PbdBase::kLbs;
  own.tets = tets;
  if (!stage.even_out) own.even_out = 0;
  if (!stage.skin_fit) own.skin_fit = 0;
  if (!stage.skin_volume) own.skin_volume = 0;
  own.dynamics = stage.dynamics;
  pipeline::DeformerOptions options = pipeline::deformer("pbd", own);
  options.never_worse = false;
  options.contact.use = stage.contact ? deform::ContactUse::kOn : deform::ContactUse::kOff;
  return options;
}

/// Median milliseconds a frame over a clip that repeats, at 30 frames per second.
double clip_ms(const deform::Deformer& deformer, const Rig& rig, const motion::Player& player, int frames) {
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  std::vector<double> elapsed;
  for (int f = 0; f < frames; ++f) {
    const double time = std::fmod(f / 30.0, player.duration_s());
    const ModelPose pose = motion::resolve(rig.skeleton, player.at(time));
    const auto start = std::chrono::steady_clock::now();
    deformer.deform(*state, {pose, time, f == 0 ? 0 : 1.0 / 30}, {positions, {}, nullptr});
    elapsed.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(elapsed.begin(), elapsed.begin() + frames / 2, elapsed.end());
  return elapsed[static_cast<std::size_t>(frames / 2)];
}

}  // namespace

void pbd_clips(const ReproduceOptions& options, const Progress& progress, Reproduction& result, double share) {
  const int frames = std::max(options.runs, 10);
  ResultTable table{
      "figure_17",
      "Fig. 17: clips, milliseconds a frame by stage",
      fmt::format(
          "Made characters in built-in clips, {} frames, {} threads: medians. A stage is what a run with it takes "
          "more than one without it. Constraints are counted once, for the whole body as in the paper and for "
          "joint areas as we solve them. The paper's frame rates include drawing, with a GPU. Contact and "
          "dynamics are off by default.",
          frames, thread_count()),
      {"model", "clip", "constraints paper", "whole body", "joint areas", "paper ms"},
      {}};
  for (const ClipStage& stage : kClipStages) table.header.emplace_back(stage.name);
  table.header.emplace_back("frame, by default");
  for (const PaperClip& paper : kPaperClips) {
    progress.check();
    shapes::MakeOptions make;
    make.vertices = static_cast<int>(share * paper.vertices);
    const Rig rig = shapes::make(paper.kind, make).made.character.rig;
    const int tets = static_cast<int>(share * paper.tets);
    const motion::Player player(rig, motion::builtin_clip(rig.skeleton, paper.clip));
    const auto constraints = [&](bool whole) {
      return deform::PbdSystem(deform::make_pbd_body(rig, {tets, whole}, progress), {}).constraints();
    };
    const std::size_t body = constraints(true), areas = constraints(false);
    std::array<double, kClipStages.size()> ms{};
    for (std::size_t s = 0; s < kClipStages.size(); ++s) {
      progress.check();
      Findings warnings;
      ms[s] = clip_ms(*pipeline::bind_deformer(rig, options_of(kClipStages[s], tets), warnings, progress), rig, player,
                      frames);
    }
    const double whole = ms[4];
    std::vector<std::string> row = {paper.model,
                                    paper.clip,
                                    fmt::format("{}", paper.constraints),
                                    fmt::format("{}", body),
                                    fmt::format("{}", areas),
                                    fmt::format("{:.1f}", 1000 / paper.fps)};
    Json stages = Json::object();
    for (std::size_t s = 0; s < kClipStages.size(); ++s) {
      const double before = s == 0 ? 0 : s > 4 ? whole : ms[s - 1];
      row.push_back(fmt::format("{:.2f}", ms[s] - before));
      stages[kClipStages[s].name] = ms[s] - before;
    }
    row.push_back(fmt::format("{:.2f}", whole));
    table.rows.push_back(std::move(row));
    result.metrics["figure_17"].push_back(
        {{"model", paper.model}, {"constraints_paper", paper.constraints}, {"body", body}, {"joint_areas", areas}});
    result.timing["figure_17"].push_back({{"model", paper.model}, {"stages_ms", stages}, {"frame_ms", whole}});
  }
  result.times.push_back(std::move(table));
}

}  // namespace sinew::lab
