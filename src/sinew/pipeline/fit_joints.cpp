// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/fit_joints.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "sinew/core/text.h"
#include "sinew/core/workable.h"
#include "sinew/deform/implicit/joint_shape/closure.h"
#include "sinew/deform/implicit/joint_shape/refit.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/bent_joints.h"
#include "sinew/pipeline/helpers_select.h"
#include "sinew/pipeline/joint_ranges.h"

namespace sinew::pipeline {
namespace {

using deform::ClosedPart;
using deform::HoleFill;
using deform::JointFit;
using deform::JointShapeReport;
using deform::PartHole;

constexpr int kEditedSamples = 150;

Index named_joint(const Skeleton& skeleton, const std::string& name, const std::string& who) {
  const Index joint = skeleton.find(name);
  if (joint != kNone) return joint;
  std::vector<std::string> names;
  for (const Joint& known : skeleton.joints) names.push_back(known.name);
  throw Error(fmt::format("{} names the joint '{}', which the skeleton does not have.{}", who, name,
                          did_you_mean(name, names)));
}

deform::JointShapeOptions shape_options(const Rig& rig, const FitJointsOptions& options) {
  const Skeleton& skeleton = rig.skeleton;
  deform::JointShapeOptions chosen;
  chosen.by_picks = options.mode == JointShapeMode::kPaper;
  chosen.fewer_rings = options.mode == JointShapeMode::kImproved;
  chosen.rotations = options.rotations;
  chosen.alternations = options.alternations;
  chosen.post_rings = options.post_rings;
  chosen.sliding.own_side_guard = options.own_side_guard;
  chosen.sliding.activity = options.activity;
  chosen.least_bulge = options.least_bulge;
  chosen.seed = static_cast<std::uint64_t>(options.seed);
  if (!options.joints.empty())
    chosen.joints = joints_of_words(rig, motion::recognize(skeleton), options.joints, "joints");
  for (const auto& [name, rings] : options.peel) {
    if (rings != std::floor(rings)) throw Error("The option 'peel' has a number of rings that is not whole.");
    chosen.peel[named_joint(skeleton, name, "The option 'peel'")] = static_cast<int>(rings);
  }
  return chosen;
}

void count(FitJointsResult& result) {
  for (const JointShapeReport& report : result.shapes.reports) {
    ++result.joints;
    result.adjusted += report.fit == JointFit::kAdjusted ? 1 : 0;
    result.not_needed += report.fit == JointFit::kNotNeeded ? 1 : 0;
    result.kept += report.fit == JointFit::kKept ? 1 : 0;
    result.skipped += report.fit == JointFit::kSkipped ? 1 : 0;
  }
  for (const ClosedPart& part : result.shapes.parts)
    for (const PartHole& hole : part.holes) {
      if (!hole.at_joint()) continue;
      ++result.holes;
      if (closed_by_particles(hole)) ++result.by_particles;
    }
}

const char* fill_word(HoleFill fill) {
  constexpr std::array kWords = {"open", "polar", "sphere", "space", "disk", "patch"};
  return kWords[static_cast<std::size_t>(fill)];
}

Json stages_json(const deform::BulgeStages& s) {
  return {{"before", s.before}, {"faired", s.faired}, {"slid", s.slid}, {"post", s.post}, {"refit", s.refit}};
}

std::string fit_word(JointFit fit) { return option_words(fit)[static_cast<std::size_t>(fit)]; }

}  // namespace

FitJointsResult fit_joints(const Character& character, const FitJointsOptions& options,
                           const std::map<std::string, PartMesh>& edited, const Progress& progress,
                           const StageListener& stage) {
  require_workable(character.rig);
  const Rig& rig = character.rig;
  if (rig.mesh.positions.empty() || rig.skeleton.empty() || rig.weights.empty())
    throw Error("Joint shapes need a mesh with weights. Bind the character first.");
  const deform::JointShapeOptions chosen = shape_options(rig, options);
  for (const auto& [name, mesh] : edited) named_joint(rig.skeleton, name, "A mesh of a part");
  FitJointsResult result;
  const auto ranges = joint_ranges(character);
  BentJoints bends(rig, ranges, progress);
  deform::JointJudge judge;
  if (options.check_bends && options.mode == JointShapeMode::kImproved)
    judge = [&](const deform::JointShapes& shapes) { return bends.worse(shapes); };
  result.shapes = deform::fit_joint_shapes(rig, ranges, chosen, {}, progress, stage, judge);
  result.samples = result.shapes.samples;
  for (const auto& [name, mesh] : edited) {
    ClosedPart part;
    part.positions = mesh.positions;
    part.triangles = mesh.triangles;
    std::vector<Index> all(mesh.triangles.size());
    std::iota(all.begin(), all.end(), 0);
    const auto samples = deform::closed_samples(part, all, kEditedSamples, {}, chosen.seed);
    if (samples.size() < 12) throw Error(fmt::format("The mesh of the part '{}' is too small to be a shape.", name));
    result.samples[name] = samples;
    result.edited.push_back(name);
  }
  count(result);
  if (result.holes > deform::kMostSpreadHoles)
    result.findings.push_back(
        {"joints.many_holes", "",
         fmt::format(
             "The parts have {} holes at joints, because the mesh is in many pieces. Particles close the largest "
             "of them, and plain patches close all others.",
             result.holes)});
  for (const ClosedPart& part : result.shapes.parts)
    for (const PartHole& hole : part.holes)
      if (!hole.settled)
        result.findings.push_back(
            {"joints.unsettled",
             rig.skeleton.joints[result.shapes.joints[static_cast<std::size_t>(&part - result.shapes.parts.data())]]
                 .name,
             "The particles that close a part did not come to rest; it is closed all the same."});
  return result;
}

std::map<std::string, PartMesh> part_meshes(const FitJointsResult& result, const Skeleton& skeleton) {
  std::map<std::string, PartMesh> meshes;
  for (std::size_t p = 0; p < result.shapes.parts.size(); ++p)
    if (const ClosedPart& part = result.shapes.parts[p]; !part.empty())
      meshes[skeleton.joints[result.shapes.joints[p]].name] = {part.positions, part.triangles};
  return meshes;
}

ResultTable joint_table(const FitJointsResult& result, const Skeleton& skeleton) {
  ResultTable table;
  table.id = "joints";
  table.title = "joints     bulge energy in radii, on rotations beside those that shaped them:";
  table.header = {"joint", "result", "range", "before", "faired", "slid", "post", "refit", "reason"};
  const auto number = [](double value) { return fmt::format("{:.2f}", value); };
  for (const JointShapeReport& report : result.shapes.reports) {
    if (report.reason == deform::kNotChosen) continue;
    const deform::BulgeStages& s = report.held_out;
    std::vector<std::string> row = {skeleton.joints[report.joint].name, fit_word(report.fit), report.range};
    for (const double value : {s.before, s.faired, s.slid, s.post, s.refit})
      row.push_back(report.range.empty() ? "" : number(value));
    row.push_back(report.reason);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json joint_figures(const FitJointsResult& result, const Skeleton& skeleton) {
  Json joints = Json::array(), holes = Json::array(), parts = Json::array();
  for (const JointShapeReport& report : result.shapes.reports)
    joints.push_back({{"joint", skeleton.joints[report.joint].name},
                      {"result", fit_word(report.fit)},
                      {"reason", report.reason},
                      {"range", report.range},
                      {"rotations", report.rotations},
                      {"radius", report.radius},
                      {"alternations", report.alternations},
                      {"picks", report.picks},
                      {"rings", report.rings},
                      {"refit_error", report.refit_error},
                      {"energy", stages_json(report.used)},
                      {"energy_held_out", stages_json(report.held_out)}});
  for (std::size_t p = 0; p < result.shapes.parts.size(); ++p)
    for (const PartHole& hole : result.shapes.parts[p].holes)
      if (hole.at_joint())
        holes.push_back({{"part", skeleton.joints[result.shapes.joints[p]].name},
                         {"border", hole.loop.size()},
                         {"fill", fill_word(hole.fill)},
                         {"reason", hole.reason},
                         {"peeled", hole.peeled},
                         {"joints", hole.bones.size()}});
  for (std::size_t p = 0; p < result.shapes.parts.size(); ++p)
    if (const ClosedPart& part = result.shapes.parts[p]; !part.empty())
      parts.push_back({{"part", skeleton.joints[result.shapes.joints[p]].name},
                       {"vertices", part.positions.size()},
                       {"skin_vertices", part.fixed_vertices}});
  return {{"joints", result.joints},
          {"adjusted", result.adjusted},
          {"not_needed", result.not_needed},
          {"kept", result.kept},
          {"skipped", result.skipped},
          {"holes", result.holes},
          {"closed_by_particles", result.by_particles},
          {"edited", result.edited},
          {"by_joint", std::move(joints)},
          {"by_hole", std::move(holes)},
          {"by_part", std::move(parts)}};
}

}  // namespace sinew::pipeline
