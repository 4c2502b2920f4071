// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "sinew/geometry/curves/curves.h"
#include "sinew/io/asset.h"
#include "sinew/lab/curve_rigging/curve_rigging.h"
#include "sinew/lab/embedding/class_judge.h"
#include "sinew/lab/embedding/real_characters.h"
#include "sinew/pipeline/rig.h"
#include "sinew/pipeline/rig_curves.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::lab {
namespace {

/// Files whose curves are counted; those that `real_characters` knows have joints to compare with.
constexpr std::array<const char*, 12> kCurveFiles = {
    "unrigged/human_man.obj",          "rigged-fbx/Camel_OneHump_01.fbx", "rigged/horse-animations.glb",
    "unrigged/elephant.off",           "unrigged/hand_closed.obj",        "rigged/generic-hand-left.glb",
    "unrigged/cat-low-resolution.obj", "zoo/quadrupeds/Cat.fbx",          "unrigged/scorpion_low_resolution.obj",
    "rigged/dragon-animations.glb",    "zoo/quadrupeds/Wolf.fbx",         "zoo/people/Male_Adult_05.fbx"};

/// Mean distance of joints from the artist's, as a share of the size; nothing without a common joint.
double mean_error(const RealSubject& subject, const rigging::SkeletonPlan& plan) {
  double sum = 0;
  int count = 0;
  for (const TrueJoint& truth : subject.joints) {
    const Index j = truth.role.empty() ? kNone : plan.find_role(truth.role);
    if (j == kNone) continue;
    sum += (plan.joints[j].position - truth.position).norm() / subject.size;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / count;
}

/// Errors of the search alone, of both uses of curves, and of curves without a search.
struct PlacedErrors {
  double embed = 0, automatic = 0, curves = 0, alone = 0;
  std::string used = "–";
};

PlacedErrors place_all_ways(const RealSubject& subject, const std::optional<pipeline::CurveBody>& body,
                            const Progress& progress) {
  PlacedErrors errors;
  Rig rig;
  rig.mesh = subject.mesh;
  rigging::RiggerRequest request;
  request.templates = rigging::all_templates();
  const rigging::PlanResult found = pipeline::plan_body(rig, request, {}, progress);
  errors.embed = mean_error(subject, found.plan);
  for (const pipeline::JointPlacement place : {pipeline::JointPlacement::kAuto, pipeline::JointPlacement::kCurves}) {
    pipeline::RigOptions options;
    options.place = place;
    rigging::PlanResult moved = found;
    pipeline::place_on_curves(moved, rig.mesh, request.templates, options, progress);
    (place == pipeline::JointPlacement::kAuto ? errors.automatic : errors.curves) = mean_error(subject, moved.plan);
    if (place == pipeline::JointPlacement::kAuto && moved.metrics.contains("place"))
      errors.used = moved.metrics["place"].value("used", "–");
  }
  errors.alone = std::numeric_limits<double>::quiet_NaN();
  if (body) {
    const std::vector<std::vector<Vec3>> poses = {subject.mesh.positions};
    errors.alone =
        mean_error(subject, rigging::plan_on_curves(body->skeleton_template, body->match, body->curves, poses).plan);
  }
  return errors;
}

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "–"; }

/// Which of search and curves is nearer to the artist's joints.
std::string nearer(const PlacedErrors& errors) {
  const std::array<std::pair<double, const char*>, 3> ways = {
      {{errors.embed, "search"}, {errors.curves, "curves"}, {errors.alone, "curves alone"}}};
  const char* best = "–";
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [error, name] : ways)
    if (std::isfinite(error) && error < least) least = error, best = name;
  return best;
}

void add_real_row(const std::filesystem::path& folder, const char* path, const Progress& progress, ResultTable& table,
                  Reproduction& result) {
  const auto known = std::find_if(real_characters().begin(), real_characters().end(),
                                  [&](const RealCharacter& each) { return std::string(each.path) == path; });
  RealSubject subject;
  if (known != real_characters().end()) subject = read_real_character(folder, *known);
  else subject.mesh = io::load(folder / path, {}, progress).character.rig.mesh;
  const CurveSet curves = geometry::find_curves(subject.mesh, {}, progress);
  Index leveled = 0;
  for (const CurveLimb& limb : curves.limbs) leveled += limb.level_sets ? 1 : 0;
  const std::optional<pipeline::CurveBody> body =
      pipeline::recognise_on_curves(subject.mesh, rigging::all_templates(), progress);
  PlacedErrors errors;
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (subject.joints.empty()) errors = {none, none, none, none, "–"};
  else errors = place_all_ways(subject, body, progress);
  table.rows.push_back({std::filesystem::path(path).stem().string(), fmt::format("{}", subject.mesh.vertex_count()),
                        fmt::format("{} ({})", curves.limbs.size(), leveled), fmt::format("{}", curves.closed_count()),
                        body ? fmt::format("{} ({:.2f})", body->skeleton_template.name, body->match.cost) : "–",
                        percent(errors.embed), percent(errors.automatic), percent(errors.curves), percent(errors.alone),
                        nearer(errors)});
  const auto number = [](double share) { return std::isfinite(share) ? Json(100 * share) : Json(); };
  result.metrics["real"].push_back({{"file", path},
                                    {"vertices", subject.mesh.vertex_count()},
                                    {"limbs", curves.limbs.size()},
                                    {"limbs_by_level_sets", leveled},
                                    {"closed", curves.closed_count()},
                                    {"uncovered", curves.uncovered},
                                    {"template", body ? body->skeleton_template.name : ""},
                                    {"template_cost", body ? Json(body->match.cost) : Json()},
                                    {"auto_used", errors.used},
                                    {"embed_percent", number(errors.embed)},
                                    {"auto_percent", number(errors.automatic)},
                                    {"curves_percent", number(errors.curves)},
                                    {"alone_percent", number(errors.alone)}});
}

}  // namespace

void curve_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  if (options.data.empty()) return;
  ResultTable table{
      "real",
      "Real characters",
      "Limbs with those by level sets, closed curves, and the template that curves alone find, with its "
      "cost. Errors are mean distances to the artist's joints in percent of the size: the search, the "
      "search with curves where they are clear (auto), with curves for all limbs, and curves alone.",
      {"character", "vertices", "limbs", "closed", "template", "search", "auto", "curves", "curves alone", "nearest"},
      {}};
  for (const char* path : kCurveFiles) {
    progress.check();
    const std::string stem = std::filesystem::path(path).stem().string();
    if (!options.only.empty() && std::find(options.only.begin(), options.only.end(), stem) == options.only.end())
      continue;
    if (!std::filesystem::exists(std::filesystem::path(options.data) / path)) {
      table.note += fmt::format(" Missing from the folder: {}.", path);
      continue;
    }
    try {
      add_real_row(options.data, path, progress, table, result);
    } catch (const Error& error) {
      result.misses.push_back({"reproduce.unreadable", path, error.what()});
    }
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
