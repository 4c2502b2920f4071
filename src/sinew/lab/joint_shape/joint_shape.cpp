// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/joint_shape/joint_shape.h"

#include <fmt/format.h>

#include <functional>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/joint_shape/closure.h"
#include "sinew/deform/implicit/joint_shape/joint_shape.h"
#include "sinew/lab/implicit/limb.h"
#include "sinew/lab/joint_shape/trial.h"

namespace sinew::lab {
namespace {

using deform::JointShapeOptions;
using deform::JointShapeReport;
using deform::JointShapes;

std::map<Index, deform::JointRange> elbow_range() { return {{1, {{{Vec3::UnitZ(), 0, radians(140)}}, "given"}}}; }

JointShapeReport elbow(const Rig& rig, const JointShapeOptions& options, const Progress& progress) {
  return deform::fit_joint_shapes(rig, elbow_range(), options, {}, progress).reports.front();
}

std::vector<std::string> stage_cells(const deform::BulgeStages& s) {
  std::vector<std::string> cells;
  for (const double value : {s.before, s.faired, s.slid, s.post, s.refit})
    cells.push_back(fmt::format("{:.2f}", value));
  return cells;
}

}  // namespace

Rig tapered_limb() {
  Rig rig = two_bone_limb();
  for (Vec3& p : rig.mesh.positions) {
    const double t = std::clamp(0.5 + p.x() / 3, 0.0, 1.0), share = 1 - 0.35 * t * t * (3 - 2 * t);
    p.y() *= share, p.z() *= share;
  }
  return rig;
}

void joint_shape_ablations(const Progress& progress, Reproduction& result) {
  const Rig rig = tapered_limb();
  ResultTable table{"ablations",
                    "An elbow of two tubes, the lower one thinner by 35 %: bulge energy in radii on rotations held out",
                    "Raw: without a sample beyond the bone, as the functions close the parts by themselves. With the "
                    "formula of the paper, or without the guard, more vertices count, so that rows of different "
                    "activity cannot be compared with each other.",
                    {"variant", "before", "faired", "slid", "post", "refit", "alternations", "picks", "rings"},
                    {}};
  const auto row = [&](const char* name, const std::function<void(JointShapeOptions&)>& change) {
    JointShapeOptions options;
    options.joints = {1};
    options.keep_better = false;
    change(options);
    const JointShapeReport report = elbow(rig, options, progress);
    std::vector<std::string> cells = {name};
    for (std::string& cell : stage_cells(report.held_out)) cells.push_back(std::move(cell));
    for (const int count : {report.alternations, report.picks, report.rings}) cells.push_back(std::to_string(count));
    table.rows.push_back(std::move(cells));
    return report.held_out;
  };
  const auto plain = row("default", [](JointShapeOptions&) {});
  row("raw closure", [](JointShapeOptions& o) { o.body.end_samples = deform::EndSamples::kNever; });
  row("sample beyond every end", [](JointShapeOptions& o) { o.body.end_samples = deform::EndSamples::kAlways; });
  row("random picks", [](JointShapeOptions& o) { o.by_picks = true; });
  row("no sliding", [](JointShapeOptions& o) { o.alternations = 0; });
  for (int rings = 4; rings >= 1; --rings)
    row(fmt::format("{} rings", rings).c_str(),
        [&](JointShapeOptions& o) { o.post_rings = rings, o.fewer_rings = false; });
  row("no band", [](JointShapeOptions& o) { o.sliding.band = 0; });
  row("12 alternations", [](JointShapeOptions& o) { o.alternations = 12, o.stop_early = false; });
  row("without the guard", [](JointShapeOptions& o) { o.sliding.own_side_guard = false; });
  row("formula of the paper", [](JointShapeOptions& o) {
    o.sliding.own_side_guard = false;
    o.sliding.activity = deform::Activity::kFormula;
  });
  row("250 particles", [](JointShapeOptions& o) { o.particles.target = 250; });
  row("1000 particles", [](JointShapeOptions& o) { o.particles.target = 1000; });
  result.tables.push_back(std::move(table));
  result.metrics["ablation_default"] = {{"before", plain.before}, {"refit", plain.refit}};
  if (plain.refit > 0.1 * plain.before)
    result.misses.push_back({"reproduce.out_of_bounds", "elbow",
                             fmt::format("{:.0f} % of the bulge remain.", 100 * plain.refit / plain.before)});
}

void joint_shape_literal(const Progress& progress, Reproduction& result) {
  const Rig rig = two_bone_limb();
  JointShapeOptions options;
  options.joints = {1};
  const JointShapes shapes = deform::fit_joint_shapes(rig, elbow_range(), options, {}, progress);
  const deform::ClosedPart& part = shapes.parts.front();
  const auto literal = deform::literal_particles(deform::particle_hole(part, part.holes.front(), {}), {});
  const auto crust = deform::literal_power_crust(part, 0);
  ResultTable table{"literal",
                    "The particles and the power crust as the paper prints them",
                    "Particles that start on the border are all above the largest energy, and vanish in the first "
                    "step. Balls about the bone have one centre for all particles beyond its end, of which the power "
                    "diagram keeps one; the crust is a sphere.",
                    {"subject", "at first", "left"},
                    {}};
  table.rows.push_back({"particles after one step", std::to_string(literal.started), std::to_string(literal.left)});
  table.rows.push_back({"balls of particles beyond the bone", std::to_string(crust.at_joint),
                        std::to_string(crust.balls - (crust.vertices - crust.at_joint))});
  result.tables.push_back(std::move(table));
}

Reproduction joint_shape_experiment(const ReproduceOptions& options, const Progress& progress) {
  Reproduction result;
  joint_shape_literal(progress, result);
  joint_shape_ablations(progress, result);
  JointTrials trials(progress);
  std::vector<std::string> names = {"elbow", "hand"};
  if (options.all) names.emplace_back("human");
  joint_shape_claims(names, trials, result);
  joint_shape_figures(options.all, trials, progress, result);
  joint_shape_characters(options, progress, result);
  return result;
}

}  // namespace sinew::lab
