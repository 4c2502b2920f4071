// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/pbd/pbd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_paper.h"
#include "sinew/deform/pbd/pbd_system.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/lab/pbd/cylinder.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

/// A turn of the bar's second joint.
struct BarPose {
  const char* name;
  Vec3 axis;
  double degrees;
};
const std::array<BarPose, 3>& bar_poses() {
  static const std::array<BarPose, 3> poses = {
      {{"twist 120°", Vec3::UnitX(), 120}, {"bend 90°", Vec3::UnitZ(), 90}, {"bend 120°", Vec3::UnitZ(), 120}}};
  return poses;
}

CylinderState moved_bar(const deform::PbdBody& bar, std::vector<Vec3f> positions,
                        const std::vector<Vec3f>& corrections) {
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += corrections[p];
  return cylinder_state(bar, positions);
}

CylinderState relaxed_bar(const deform::PbdBody& bar, const deform::PbdSettings& settings, const BarPose& pose) {
  const deform::PbdSystem system(bar, settings);
  deform::PbdSystem::Scratch scratch;
  const std::vector<Vec3f> positions = blended_cylinder(bar, pose.axis, radians(pose.degrees));
  std::vector<Vec3f> corrections(positions.size());
  system.solve(scratch, positions, cylinder_motions(pose.axis, radians(pose.degrees)), corrections);
  return moved_bar(bar, positions, corrections);
}

CylinderState printed_bar(const deform::PbdBody& bar, const BarPose& pose, double stiffness, bool whole) {
  const std::vector<Vec3f> positions = blended_cylinder(bar, pose.axis, radians(pose.degrees));
  const deform::PbdPaper paper(bar);
  return moved_bar(
      bar, positions,
      paper.corrections(positions, cylinder_motions(pose.axis, radians(pose.degrees)), 10, stiffness, whole));
}

std::string state_text(const CylinderState& state) { return fmt::format("{:.4f} / {}", state.volume, state.inverted); }

/// Table 2, in milliseconds, with a GPU.
struct PaperFrame {
  const char* model;
  const char* kind;
  int seed;
  double vary;
  int vertices, tets;
  double lbs_ms, dqs_ms, pbd_ms;
  double limit_ms, body_limit_ms;
};
constexpr std::array<PaperFrame, 4> kPaperFrames = {
    {{"human", "human", 0, 0, 24461, 51110, 5.0, 15.6, 22.4, 15, 30},
     {"dog", "quadruped", 0, 0, 18114, 30790, 3.4, 11.7, 19.0, 10, 19},
     {"doll", "human", 3, 0.3, 13336, 25768, 2.3, 10.5, 16.5, 9, 16},
     {"armadillo", "human", 9, 0.3, 15116, 23916, 2.8, 11.5, 17.7, 9, 16}}};

/// Poses within what joints do: every joint turns a little.
std::vector<ModelPose> lively_poses(const Rig& rig, int count) {
  geometry::Random dice(17);
  std::vector<ModelPose> poses;
  for (int i = 0; i < count; ++i) {
    Pose pose = rest_pose(rig);
    for (Transform& local : pose.local) {
      const Vec3 axis = Vec3(dice.uniform() - 0.5, dice.uniform() - 0.5, dice.uniform() - 0.5).normalized();
      local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.5 * dice.uniform(), axis));
    }
    poses.push_back(motion::resolve(rig.skeleton, pose));
  }
  return poses;
}

struct FrameTimes {
  double median = 0, p99 = 0;  ///< Milliseconds.
};

FrameTimes frame_times(const deform::Deformer& deformer, const Rig& rig, const std::vector<ModelPose>& poses,
                       int frames) {
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  deformer.deform(*state, {poses[0]}, {positions, {}, nullptr});
  std::vector<double> elapsed;
  for (int f = 0; f < frames; ++f) {
    const auto start = std::chrono::steady_clock::now();
    deformer.deform(*state, {poses[static_cast<std::size_t>(f) % poses.size()]}, {positions, {}, nullptr});
    elapsed.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(elapsed.begin(), elapsed.end());
  return {elapsed[elapsed.size() / 2], elapsed[std::min(elapsed.size() - 1, elapsed.size() * 99 / 100)]};
}

}  // namespace

void pbd_stiffness(const Progress& progress, Reproduction& result) {
  const deform::PbdBody bar = pbd_cylinder();
  const BarPose& twist = bar_poses()[0];
  ResultTable table{"figure_7",
                    "Fig. 7: volume against stiffness, and tetrahedra turned inside out",
                    "A bar of 7,680 tetrahedra twisted by 120°. As printed: all constraints, 10 sweeps, the paper's "
                    "order. The others: "
                    "energy alone, 40 sweeps. As printed the stiffness has no effect, as constraint and gradient both "
                    "grow with it; only "
                    "the corotated energy keeps more volume the stiffer it is.",
                    {"stiffness", "as printed", "printed, whole gradient", "four springs", "corotated"},
                    {}};
  const CylinderState blended = cylinder_state(bar, blended_cylinder(bar, twist.axis, radians(twist.degrees)));
  table.rows.push_back(
      {"linear blending", state_text(blended), state_text(blended), state_text(blended), state_text(blended)});
  for (const double k : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    progress.check();
    deform::PbdSettings settings;
    settings.sweeps = 40;
    settings.stretch = settings.bind = 0;
    settings.volume = 0;
    settings.energy = k;
    settings.material = deform::PbdMaterial::kSprings;
    const CylinderState springs = relaxed_bar(bar, settings, twist);
    settings.material = deform::PbdMaterial::kCorotated;
    const CylinderState corotated = relaxed_bar(bar, settings, twist);
    const CylinderState printed = printed_bar(bar, twist, k, false), whole = printed_bar(bar, twist, k, true);
    table.rows.push_back(
        {fmt::format("{:g}", k), state_text(printed), state_text(whole), state_text(springs), state_text(corotated)});
    result.metrics["figure_7"].push_back({{"stiffness", k},
                                          {"printed", printed.volume},
                                          {"whole_gradient", whole.volume},
                                          {"springs", springs.volume},
                                          {"corotated", corotated.volume}});
  }
  result.tables.push_back(std::move(table));
}

void pbd_orders(const Progress& progress, Reproduction& result) {
  const deform::PbdBody bar = pbd_cylinder();
  ResultTable table{
      "orders",
      "What order and stiffness do to a bar: volume, and tetrahedra turned inside out",
      "Ten sweeps; the bar of Fig. 7. Stretch, bind and volume alone is the plain set of N. Abu Rumman and "
      "M. Fratarcangeli, 2015, without the energy that the paper adds. Nothing here has a step for the "
      "volume of the skin.",
      {"scheme"},
      {}};
  for (const BarPose& pose : bar_poses()) table.header.emplace_back(pose.name);
  std::vector<std::string> blended = {"linear blending"}, printed = {"paper: its order and forms, all hard"},
                           springs = {"ours, four springs"}, corotated = {"ours, corotated"},
                           plain = {"stretch, bind and volume alone"};
  for (const BarPose& pose : bar_poses()) {
    progress.check();
    const auto add = [&](std::vector<std::string>& row, const char* scheme, const CylinderState& state) {
      row.push_back(state_text(state));
      result.metrics["orders"][scheme][pose.name] = {{"volume", state.volume}, {"inverted", state.inverted}};
    };
    add(blended, "blended", cylinder_state(bar, blended_cylinder(bar, pose.axis, radians(pose.degrees))));
    add(printed, "printed", printed_bar(bar, pose, 1, true));
    deform::PbdSettings settings;
    add(corotated, "corotated", relaxed_bar(bar, settings, pose));
    settings.material = deform::PbdMaterial::kSprings;
    add(springs, "springs", relaxed_bar(bar, settings, pose));
    settings.energy = 0;
    add(plain, "plain_set", relaxed_bar(bar, settings, pose));
  }
  table.rows = {blended, printed, plain, springs, corotated};
  result.tables.push_back(std::move(table));
}

void pbd_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result, double share,
               std::size_t models) {
  const int frames = std::max(options.runs, 10);
  ResultTable table{
      "table_2",
      "Table 2: milliseconds a frame",
      fmt::format(
          "Made characters, as near to the paper's numbers of vertices and tetrahedra as they come; 10 sweeps, {} "
          "frames of random poses, {} threads: median, and 99th percentile in brackets. The paper's figures were "
          "measured with a GPU.",
          frames, thread_count()),
      {"model", "vertices paper", "ours", "tets paper", "ours", "paper lbs / dqs / pbd", "lbs", "dqs",
       "springs, joints", "limit", "ns a constraint", "times lbs", "corotated, joints", "springs, body", "limit",
       "corotated, body", "set-up s"},
      {}};
  for (const PaperFrame& paper : std::span(kPaperFrames).first(std::min(models, kPaperFrames.size()))) {
    progress.check();
    shapes::MakeOptions make;
    make.vertices = static_cast<int>(share * paper.vertices);
    make.seed = paper.seed;
    make.vary = paper.vary;
    const Rig rig = shapes::make(paper.kind, make).made.character.rig;
    const std::vector<ModelPose> poses = lively_poses(rig, 16);
    const FrameTimes lbs = frame_times(*deform::bind("lbs", rig), rig, poses, frames);
    const FrameTimes dqs = frame_times(*deform::bind("dqs", rig), rig, poses, frames);
    std::array<FrameTimes, 4> pbd;
    double set_up = 0, constraints = 0;
    Index tets = 0;
    for (std::size_t which = 0; which < 4; ++which) {
      deform::PbdOptions choose;
      choose.base = deform::PbdBase::kLbs;
      choose.tets = static_cast<int>(share * paper.tets);
      choose.material = which % 2 == 0 ? deform::PbdMaterial::kSprings : deform::PbdMaterial::kCorotated;
      choose.area = which < 2 ? deform::PbdArea::kJoints : deform::PbdArea::kBody;
      const auto start = std::chrono::steady_clock::now();
      const auto deformer = deform::bind("pbd", rig, choose, progress);
      if (which == 0) {
        set_up = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const deform::PbdBody body = deform::make_pbd_body(rig, {choose.tets, false}, progress);
        tets = static_cast<Index>(body.tets.tets.size());
        constraints = 10.0 * static_cast<double>(deform::PbdSystem(body, {}).constraints());
      }
      pbd[which] = frame_times(*deformer, rig, poses, frames);
    }
    const auto text = [](const FrameTimes& times) { return fmt::format("{:.1f} ({:.1f})", times.median, times.p99); };
    table.rows.push_back({paper.model, fmt::format("{}", paper.vertices), fmt::format("{}", rig.mesh.vertex_count()),
                          fmt::format("{}", paper.tets), fmt::format("{}", tets),
                          fmt::format("{} / {} / {}", paper.lbs_ms, paper.dqs_ms, paper.pbd_ms),
                          fmt::format("{:.3f} ({:.3f})", lbs.median, lbs.p99),
                          fmt::format("{:.3f} ({:.3f})", dqs.median, dqs.p99), text(pbd[0]),
                          fmt::format("{}", paper.limit_ms),
                          fmt::format("{:.1f}", 1e6 * (pbd[0].median - lbs.median) / constraints),
                          fmt::format("{:.0f}", pbd[0].median / lbs.median), text(pbd[1]), text(pbd[2]),
                          fmt::format("{}", paper.body_limit_ms), text(pbd[3]), fmt::format("{:.1f}", set_up)});
    result.timing["table_2"].push_back({{"model", paper.model},
                                        {"lbs_ms", lbs.median},
                                        {"dqs_ms", dqs.median},
                                        {"springs_ms", pbd[0].median},
                                        {"corotated_ms", pbd[1].median},
                                        {"springs_body_ms", pbd[2].median},
                                        {"corotated_body_ms", pbd[3].median},
                                        {"set_up_s", set_up}});
  }
  result.times.push_back(std::move(table));
}

Reproduction pbd_experiment(const ReproduceOptions& options, const Progress& progress) {
  Reproduction result;
  const bool times = options.runs > 0, data = !options.data.empty();
  double done = 0;
  // Sections by the names of `--only`, each with its share of the whole.
  const auto section = [&](const char* name, bool possible, double share, const auto& run) {
    const auto& only = options.only;
    if (possible && (only.empty() || std::find(only.begin(), only.end(), name) != only.end())) {
      progress.step(name, done);
      run();
    }
    done += share;
  };
  section("figure-7", true, 0.1, [&] {
    pbd_stiffness(progress, result);
    pbd_orders(progress, result);
  });
  section("figure-15", true, 0.1, [&] { pbd_limbs(progress, result); });
  section("figure-10", true, 0.1, [&] { pbd_folds(progress, result); });
  section("figure-11", true, 0.05, [&] { pbd_armpit(progress, result); });
  section("figure-16", true, 0.05, [&] { pbd_rival(progress, result); });
  section("sections", true, 0.05, [&] { pbd_sections(progress, result); });
  section("real", data, 0.2, [&] { pbd_real(options, progress, result); });
  section("dynamics", times, 0.15, [&] { pbd_swings(options, progress, result); });
  section("table-2", times, 0.1, [&] { pbd_times(options, progress, result); });
  section("figure-17", times, 0.1, [&] { pbd_clips(options, progress, result); });
  return result;
}

}  // namespace sinew::lab
