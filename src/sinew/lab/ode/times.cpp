// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/deform/curves/curve_motion.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/lab/ode/ode.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/sample.h"
#include "sinew/rigging/curves/curve_skeleton.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

struct OdePaperTime {
  int vertices;
  double curves_ms, skeleton_ms, deform_ms;
};
constexpr std::array<OdePaperTime, 2> kOdePaperTimes = {{{7207, 1.32, 0.269, 1.517}, {13201, 2.03, 0.431, 2.830}}};
constexpr int kMostOdeRuns = 50;

class Watch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct OdeTimes {
  Index vertices = 0;
  std::vector<double> curves, skeleton, prepare, frame, five_frames;
  double tips = 0;
  std::size_t bytes = 0;
};

OdeTimes time_motion(int vertices, int runs, const Progress& progress) {
  shapes::MakeOptions make;
  make.vertices = vertices;
  Rig rig = shapes::make("human", make).made.character.rig;
  // Made bodies come in steps of resolution: at least as many vertices as asked for.
  while (rig.mesh.vertex_count() < static_cast<Index>(vertices)) {
    make.vertices += make.vertices / 8;
    rig = shapes::make("human", make).made.character.rig;
  }
  const Clip clip = motion::builtin_clip(rig.skeleton, "exercise");
  OdeTimes times;
  times.vertices = rig.mesh.vertex_count();
  const Watch tips;
  const geometry::CurveInput input = geometry::prepare_curves(rig.mesh);
  times.tips = tips.ms();
  std::vector<Vec3f> shape(rig.mesh.positions.size());
  const std::vector<double> keys = {0, 1};
  for (int run = 0; run < runs; ++run) {
    progress.check();
    // Other poses in every run, so that nothing can be remembered.
    std::vector<std::vector<Vec3>> poses;
    for (const double time : {0.0, 1.0 + 0.01 * run}) {
      const Pose pose = motion::sample(rig, clip, time);
      poses.push_back(deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, {}}));
    }
    const deform::JointPoses joints = deform::fit_joint_poses(rig, poses);
    const Watch curve_watch;
    const CurveSet curves = geometry::find_curves(input);
    times.curves.push_back(curve_watch.ms());
    const Watch skeleton_watch;
    rigging::curve_skeleton(curves, rig.mesh.positions);
    times.skeleton.push_back(skeleton_watch.ms());
    const Watch prepare_watch;
    const deform::CurveMotion motion(rig, curves, joints, {poses, keys, 1.0});
    times.prepare.push_back(prepare_watch.ms());
    times.bytes = motion.figures().bytes;
    motion.evaluate(0.1, shape);
    const Watch frame_watch;
    motion.evaluate(0.31 + 0.005 * run, shape);
    times.frame.push_back(frame_watch.ms());
    const Watch five_watch;
    for (int f = 1; f <= 5; ++f) motion.evaluate(f / 6.0 + 1e-3 * run, shape);
    times.five_frames.push_back(five_watch.ms());
  }
  return times;
}

}  // namespace

void ode_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  const int runs = std::min(options.runs, kMostOdeRuns);
  ResultTable table{
      "table_1",
      "Table 1: time of all stages, in milliseconds",
      fmt::format("Made humans, medians of {} runs, {} threads. VI finds curves, SC their middle lines, SD "
                  "deforms: one frame, or all five frames between two poses. The paper does not say which "
                  "it means, nor whether tips and preparation are part of its times.",
                  runs, thread_count()),
      {"vertices paper", "ours", "tips", "VI paper", "ours", "SC paper", "ours", "prepare", "SD paper", "frame",
       "five frames"},
      {}};
  for (const OdePaperTime& paper : kOdePaperTimes) {
    const OdeTimes times = time_motion(paper.vertices, runs, progress);
    table.rows.push_back(
        {fmt::format("{}", paper.vertices), fmt::format("{}", times.vertices), fmt::format("{:.1f}", times.tips),
         fmt::format("{:.2f}", paper.curves_ms), fmt::format("{:.2f}", median_of(times.curves)),
         fmt::format("{:.3f}", paper.skeleton_ms), fmt::format("{:.3f}", median_of(times.skeleton)),
         fmt::format("{:.1f}", median_of(times.prepare)), fmt::format("{:.3f}", paper.deform_ms),
         fmt::format("{:.3f}", median_of(times.frame)), fmt::format("{:.2f}", median_of(times.five_frames))});
  }
  result.times.push_back(std::move(table));
  ResultTable growth{"growth",
                     "Time and data by size",
                     "Prepared data hold both poses, modes and coefficients; frames are what 30 stored frames take.",
                     {"vertices", "prepare ms", "frame ms", "frame ns a vertex", "prepared MB", "30 frames MB"},
                     {}};
  for (const int vertices : {3000, 12000, 50000, 200000}) {
    const OdeTimes times = time_motion(vertices, std::min(runs, 7), progress);
    growth.rows.push_back({fmt::format("{}", times.vertices), fmt::format("{:.1f}", median_of(times.prepare)),
                           fmt::format("{:.2f}", median_of(times.frame)),
                           fmt::format("{:.0f}", 1e6 * median_of(times.frame) / times.vertices),
                           fmt::format("{:.2f}", static_cast<double>(times.bytes) / 1e6),
                           fmt::format("{:.2f}", times.vertices * 30 * 12.0 / 1e6)});
  }
  result.times.push_back(std::move(growth));
}

}  // namespace sinew::lab
