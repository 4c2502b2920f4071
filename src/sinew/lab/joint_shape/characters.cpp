// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>

#include "sinew/deform/bind_frames.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/io/asset.h"
#include "sinew/lab/joint_shape/joint_shape.h"
#include "sinew/measure/joint_contour.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/range_of_motion.h"
#include "sinew/pipeline/fit_joints.h"
#include "sinew/pipeline/joint_ranges.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

using deform::JointFit;
using deform::JointShapeReport;
using ShapeClock = std::chrono::steady_clock;

constexpr std::array kShapeFiles = {"rigged/CesiumMan.glb",
                                    "rigged/human-male.glb",
                                    "rigged/lumberjack.glb",
                                    "rigged/Godette_vrm_v4.vrm",
                                    "rigged-fbx/arnaud.fbx",
                                    "rigged-fbx/Male_Adult_01.fbx",
                                    "rigged/100Avatars_002_CoolAlien.vrm"};
constexpr std::array kBendShares = {0.5, 0.75, 1.0};  ///< Of the range of a joint.
constexpr double kSame = 0.005;                       ///< Radii by which protrusions are equal.
constexpr double kMostLeft = 0.1;                     ///< Of the bulge, that may remain.
constexpr double kMostSeconds = 0.5;                  ///< Per joint.

struct ShapeSubject {
  std::string name;
  Character character;
};

/// Sums of energies, and how many joints reach what they should.
struct ShapeFigures {
  deform::BulgeStages used, held_out;
  std::size_t bulged = 0, tenth = 0, higher = 0;
};

void add_stages(deform::BulgeStages& sum, const deform::BulgeStages& more) {
  sum.before += more.before, sum.faired += more.faired, sum.slid += more.slid;
  sum.post += more.post, sum.refit += more.refit;
}

ShapeFigures shape_figures(const pipeline::FitJointsResult& result) {
  ShapeFigures figures;
  for (const JointShapeReport& report : result.shapes.reports) {
    if (report.fit != JointFit::kAdjusted) continue;
    add_stages(figures.used, report.used), add_stages(figures.held_out, report.held_out);
    ++figures.bulged;
    if (report.held_out.refit <= kMostLeft * report.held_out.before) ++figures.tenth;
    if (report.held_out.refit > report.held_out.before) ++figures.higher;
  }
  return figures;
}

/// The methods whose contours are compared: the default implicit one and the adjusted one first.
struct Contenders {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<deform::Deformer>> deformers;
};

Contenders contenders(const Rig& rig, const deform::JointShapes& shapes, const Progress& progress) {
  Contenders all;
  const auto add = [&](const char* name, std::unique_ptr<deform::Deformer> deformer) {
    all.names.emplace_back(name);
    all.deformers.push_back(std::move(deformer));
  };
  add("default", deform::bind("implicit", rig, {}, progress));
  add("adjusted",
      deform::bind_implicit(rig, deform::make_implicit_body(rig, {}, {}, shapes.samples, progress, shapes.functions),
                            {}, progress));
  add("lbs", deform::bind("lbs", rig, {}, progress));
  add("dqs", deform::bind("dqs", rig, {}, progress));
  return all;
}

/// The contours of one joint, by method.
struct JointOutline {
  std::string joint, group;
  std::vector<double> largest, mean;

  bool better() const { return largest[1] < largest[0] - kSame; }
  bool worse() const { return largest[1] > largest[0] + kSame; }
};

/// The part of the body at which a joint bends the skin.
std::string group_of(const motion::JointRole& role) {
  using motion::BodyPart;
  switch (role.part) {
    case BodyPart::kUpperArm:
      return "shoulder";
    case BodyPart::kForearm:
      return "elbow";
    case BodyPart::kHand:
      return "wrist";
    case BodyPart::kShin:
      return "knee";
    case BodyPart::kThigh:
      return "hip";
    case BodyPart::kFoot:
      return "ankle";
    case BodyPart::kThumb:
    case BodyPart::kIndex:
    case BodyPart::kMiddle:
    case BodyPart::kRing:
    case BodyPart::kLittle:
      return "fingers";
    default:
      return "others";
  }
}

std::vector<JointOutline> contours(const Character& character, const pipeline::FitJointsResult& result,
                                   const Progress& progress) {
  const Rig& rig = character.rig;
  const std::vector<Mat4> frames = deform::bind_frames(rig);
  const auto ranges = pipeline::joint_ranges(character);
  const auto body = motion::recognize(rig.skeleton);
  const Contenders methods = contenders(rig, result.shapes, progress);
  std::vector<std::unique_ptr<deform::Deformer::State>> states;
  for (const auto& deformer : methods.deformers) states.push_back(deformer->make_state());
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  std::vector<JointOutline> outlines;
  for (const JointShapeReport& report : result.shapes.reports) {
    if (report.fit != JointFit::kAdjusted) continue;
    const measure::JointContour contour(rig, frames, report.joint, result.shapes.joints[report.parent], report.radius);
    if (!contour.usable()) continue;
    progress.check();
    JointOutline outline{rig.skeleton.joints[report.joint].name, group_of(body.roles[report.joint]), {}, {}};
    outline.largest.assign(methods.names.size(), 0), outline.mean.assign(methods.names.size(), 0);
    const deform::RotationRange& axis = ranges.at(report.joint).axes.front();
    const double most = std::abs(axis.lower_rad) > axis.upper_rad ? axis.lower_rad : axis.upper_rad;
    for (const double share : kBendShares) {
      ModelPose pose;
      pose.joints = motion::turned_frames(rig.skeleton, frames, {"", "", report.joint, false, share * most, axis.axis});
      pose.twist_rad.assign(rig.skeleton.size(), 0);
      for (std::size_t m = 0; m < methods.names.size(); ++m) {
        methods.deformers[m]->deform(*states[m], {pose}, {positions, {}, nullptr});
        const auto out = contour.measure(pose, positions);
        outline.largest[m] = std::max(outline.largest[m], out.largest);
        outline.mean[m] += out.mean / static_cast<double>(kBendShares.size());
      }
    }
    outlines.push_back(std::move(outline));
  }
  return outlines;
}

std::vector<std::string> shape_stage_cells(const deform::BulgeStages& s) {
  std::vector<std::string> cells;
  for (const double value : {s.before, s.faired, s.slid, s.post, s.refit})
    cells.push_back(fmt::format("{:.1f}", value));
  return cells;
}

std::string count_text(std::size_t count) { return std::to_string(count); }

/// The tables of all characters.
struct ShapeTables {
  ResultTable energy{
      "energies",
      "Bulge energy of the joints that were adjusted, in radii, by stage",
      "Before: as the functions close the parts by default. Held out: half a step beside the rotations "
      "that shaped the joints. A tenth: joints whose energy on those fell to a tenth at most.",
      {"character", "rotations", "joints", "before", "faired", "slid", "post", "refit", "a tenth", "higher"},
      {}};
  ResultTable holes{
      "holes",
      "Joints and holes",
      "Particles: holes at joints that were closed without the last resort.",
      {"character", "vertices", "parts", "joints", "adjusted", "not needed", "kept", "skipped", "holes", "particles"},
      {}};
  ResultTable contour{"contours",
                      "Protrusion of the skin over the convex profile of the two parts of a joint, in radii",
                      "Largest and mean protrusion at bends to 50, 75 and 100 % of the range, averaged over joints.",
                      {"character", "at", "joints", "default", "adjusted", "lbs", "dqs", "mean default",
                       "mean adjusted", "better", "equal", "worse"},
                      {}};
  ResultTable worse{"worse_contours",
                    "Joints whose contour is larger than before, in radii",
                    "By more than 0.005 radii.",
                    {"character", "joint", "at", "default", "adjusted", "lbs", "dqs"},
                    {}};
  ResultTable checked{
      "checked_contours",
      "The same with the check of bends, which keeps old shapes where new ones stick out or contacts are deeper",
      "The check bends joints to 40, 70 and 95 % of the range. The contours are those of other bends.",
      {"character", "joints", "better", "equal", "worse", "joints checked", "better checked", "equal checked",
       "worse checked"},
      {}};
  ResultTable reasons{"not_adjusted",
                      "Joints that were not adjusted, and holes that were not closed by particles, by reason",
                      "",
                      {"character", "reason", "count", "first"},
                      {}};
  ResultTable times{"joint_times",
                    "Seconds per joint that was adjusted, by stage, on this machine (Table 1)",
                    "The paper has 10.3 to 12.8 s per joint on four cores, most of it sliding in Matlab.",
                    {"character", "parts", "joints", "functions", "particles", "fairing", "sliding", "second fairing",
                     "refit", "total", "whole"},
                    {}};
};

void add_contour_row(const std::string& name, const std::string& group, const std::vector<JointOutline>& outlines,
                     ResultTable& table) {
  std::vector<double> largest(4, 0), mean(4, 0);
  std::size_t joints = 0, better = 0, worse = 0;
  for (const JointOutline& outline : outlines) {
    if (group != "all" && outline.group != group) continue;
    ++joints, better += outline.better() ? 1 : 0, worse += outline.worse() ? 1 : 0;
    for (std::size_t m = 0; m < largest.size(); ++m) largest[m] += outline.largest[m], mean[m] += outline.mean[m];
  }
  if (joints == 0) return;
  std::vector<std::string> row = {name, group, count_text(joints)};
  const auto cell = [&](double sum) { return fmt::format("{:.3f}", sum / static_cast<double>(joints)); };
  for (const double sum : largest) row.push_back(cell(sum));
  row.push_back(cell(mean[0])), row.push_back(cell(mean[1]));
  for (const std::size_t count : {better, joints - better - worse, worse}) row.push_back(count_text(count));
  table.rows.push_back(std::move(row));
}

void report_contours(const ShapeSubject& subject, const std::vector<JointOutline>& outlines, ShapeTables& tables,
                     Reproduction& result) {
  for (const char* group : {"shoulder", "elbow", "wrist", "fingers", "hip", "knee", "ankle", "others", "all"})
    add_contour_row(subject.name, group, outlines, tables.contour);
  std::size_t worse = 0;
  for (const JointOutline& outline : outlines) {
    if (!outline.worse()) continue;
    ++worse;
    std::vector<std::string> row = {subject.name, outline.joint, outline.group};
    for (const double largest : outline.largest) row.push_back(fmt::format("{:.3f}", largest));
    tables.worse.rows.push_back(std::move(row));
  }
  if (10 * worse > outlines.size())
    result.misses.push_back({"reproduce.out_of_bounds", subject.name,
                             fmt::format("The contour is worse at {} of {} joints.", worse, outlines.size())});
}

void report_reasons(const ShapeSubject& subject, const pipeline::FitJointsResult& fitted, ResultTable& table) {
  const Skeleton& skeleton = subject.character.rig.skeleton;
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const JointShapeReport& report : fitted.shapes.reports)
    if (report.fit == JointFit::kSkipped || report.fit == JointFit::kKept)
      by_reason["joint: " + report.reason].push_back(skeleton.joints[report.joint].name);
  for (std::size_t p = 0; p < fitted.shapes.parts.size(); ++p)
    for (const deform::PartHole& hole : fitted.shapes.parts[p].holes)
      if (hole.at_joint() && !pipeline::closed_by_particles(hole))
        by_reason["hole: " + hole.reason].push_back(skeleton.joints[fitted.shapes.joints[p]].name);
  for (const auto& [reason, names] : by_reason)
    table.rows.push_back({subject.name, reason, count_text(names.size()), names.front()});
}

void try_shapes(const ShapeSubject& subject, bool timed, const Progress& progress, ShapeTables& tables,
                Reproduction& result) {
  std::map<std::string, double> seconds;
  std::string stage;
  auto since = ShapeClock::now();
  const auto next = [&](const char* name) {
    const auto now = ShapeClock::now();
    if (!stage.empty()) seconds[stage] += std::chrono::duration<double>(now - since).count();
    stage = name, since = now;
  };
  pipeline::FitJointsOptions unchecked;
  unchecked.check_bends = false;
  const pipeline::FitJointsResult fitted = pipeline::fit_joints(subject.character, unchecked, {}, progress, next);
  next("");
  const ShapeFigures figures = shape_figures(fitted);
  const std::size_t parts = fitted.shapes.parts.size();
  for (const bool used : {true, false}) {
    std::vector<std::string> row = {subject.name, used ? "used" : "held out", count_text(figures.bulged)};
    for (std::string& cell : shape_stage_cells(used ? figures.used : figures.held_out)) row.push_back(std::move(cell));
    row.push_back(used ? "" : count_text(figures.tenth)), row.push_back(used ? "" : count_text(figures.higher));
    tables.energy.rows.push_back(std::move(row));
  }
  std::vector<std::string> row = {subject.name};
  for (const std::size_t count :
       {static_cast<std::size_t>(subject.character.rig.mesh.vertex_count()), parts, fitted.joints, fitted.adjusted,
        fitted.not_needed, fitted.kept, fitted.skipped, fitted.holes, fitted.by_particles})
    row.push_back(count_text(count));
  tables.holes.rows.push_back(std::move(row));
  if (10 * fitted.by_particles < 9 * fitted.holes)
    result.misses.push_back(
        {"reproduce.out_of_bounds", subject.name,
         fmt::format("Only {} of {} holes were closed by particles.", fitted.by_particles, fitted.holes)});
  report_reasons(subject, fitted, tables.reasons);
  const std::vector<JointOutline> outlines = contours(subject.character, fitted, progress);
  report_contours(subject, outlines, tables, result);
  const std::vector<JointOutline> checked =
      contours(subject.character, pipeline::fit_joints(subject.character, {}, {}, progress), progress);
  std::vector<std::string> counts = {subject.name};
  for (const auto* list : {&outlines, &checked}) {
    const auto better = static_cast<std::size_t>(
        std::count_if(list->begin(), list->end(), [](const JointOutline& outline) { return outline.better(); }));
    const auto worse = static_cast<std::size_t>(
        std::count_if(list->begin(), list->end(), [](const JointOutline& outline) { return outline.worse(); }));
    for (const std::size_t count : {list->size(), better, list->size() - better - worse, worse})
      counts.push_back(count_text(count));
  }
  tables.checked.rows.push_back(std::move(counts));
  if (!timed || fitted.adjusted == 0) return;
  double total = 0;
  std::vector<std::string> times = {subject.name, count_text(parts), count_text(fitted.adjusted)};
  for (const char* name : {"functions", "particles", "fairing", "sliding", "second fairing", "refit"}) {
    times.push_back(fmt::format("{:.3f}", seconds[name] / static_cast<double>(fitted.adjusted)));
    total += seconds[name];
  }
  times.push_back(fmt::format("{:.3f}", total / static_cast<double>(fitted.adjusted)));
  times.push_back(fmt::format("{:.1f}", total));
  tables.times.rows.push_back(std::move(times));
  if (total > kMostSeconds * static_cast<double>(fitted.adjusted))
    result.timing["slow_joints"][subject.name] = total / static_cast<double>(fitted.adjusted);
}

}  // namespace

void joint_shape_characters(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  namespace fs = std::filesystem;
  ShapeTables tables;
  const auto wanted = [&](const std::string& name) {
    return options.only.empty() || std::count(options.only.begin(), options.only.end(), name) > 0;
  };
  for (const char* kind : {"hand", "human", "quadruped"})
    if (options.only.empty() ? options.all || std::string(kind) == "hand" : wanted(kind))
      try_shapes({kind, shapes::make(kind, {}).made.character}, options.runs > 0, progress, tables, result);
  for (const char* file : kShapeFiles) {
    if (options.data.empty()) break;
    const fs::path path = fs::path(options.data) / file;
    if (fs::exists(path) && wanted(path.stem().string()))
      try_shapes({path.stem().string(), io::load(path, {}, progress).character}, options.runs > 0, progress, tables,
                 result);
  }
  // Other characters by the paths of their files, from the folder of real ones.
  for (const std::string& word : options.only) {
    const fs::path path = fs::path(options.data) / word;
    if (options.data.empty() || !fs::is_regular_file(path)) continue;
    try_shapes({path.stem().string(), io::load(path, {}, progress).character}, options.runs > 0, progress, tables,
               result);
  }
  for (ResultTable* table :
       {&tables.holes, &tables.reasons, &tables.energy, &tables.contour, &tables.worse, &tables.checked})
    if (!table->rows.empty()) result.tables.push_back(std::move(*table));
  if (!tables.times.rows.empty()) result.times.push_back(std::move(tables.times));
}

}  // namespace sinew::lab
