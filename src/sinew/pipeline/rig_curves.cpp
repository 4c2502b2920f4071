// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig_curves.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/angles.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/rigging/curves/curve_placement.h"

namespace sinew::pipeline {
namespace {

constexpr rigging::CurveMoveRule kAlways = {20 * kRadPerDegree, 0, true};
// Measured on real characters with artists' joints, see docs/methods/curve-rigging.md.
constexpr rigging::CurveMoveRule kWhereClear = {35 * kRadPerDegree, 0.8, false};

// Of the size of the mesh. Curves correct what the search found; what they would move farther belongs to another limb
// or to clothes.
constexpr double kFarthestMove = 0.04;

// Beyond it curves take longer than the rest of the search.
constexpr Index kMostCurvedVertices = 50000;

std::vector<std::vector<Vec3>> poses_of(const Mesh& mesh, const RigOptions& options) {
  std::vector<std::vector<Vec3>> poses = {mesh.positions};
  for (const std::vector<Vec3>& posed : options.posed) {
    if (posed.size() != mesh.positions.size())
      throw Error(
          fmt::format("A posed shape has {} vertices, but the mesh has {}. The option 'also_posed' takes "
                      "other poses of the same mesh.",
                      posed.size(), mesh.positions.size()));
    poses.push_back(posed);
  }
  return poses;
}

Json score_json(const rigging::PlacementScore& score) {
  return {
      {"total", score.total()}, {"inside", score.inside}, {"centred", score.centred}, {"symmetric", score.symmetric}};
}

void use_curves_alone(rigging::PlanResult& found, const CurveSet& curves, const Mesh& mesh,
                      const std::vector<Template>& templates, const std::vector<std::vector<Vec3>>& poses) {
  rigging::SkeletonPlan plan;
  if (const std::optional<CurveBody> body = recognise_on_curves(mesh, templates)) {
    plan = rigging::plan_on_curves(body->skeleton_template, body->match, body->curves, poses).plan;
    found.metrics["place"]["template_cost"] = body->match.cost;
  } else {
    plan = rigging::plan_from_curves(curves, mesh.positions);
    plan.up = found.plan.up, plan.forward = found.plan.forward, plan.left = found.plan.left;
  }
  if (plan.joints.size() < 3) return;
  plan.mirror_point = found.plan.mirror_point;
  found.plan = std::move(plan);
  found.metrics["place"]["used"] = "curves";
}

void place_on(const CurveSet& curves, rigging::PlanResult& found, const Mesh& mesh,
              const std::vector<Template>& templates, const RigOptions& options) {
  const std::vector<std::vector<Vec3>> poses = poses_of(mesh, options);
  const rigging::CurveSkeleton skeleton = rigging::curve_skeleton(curves, mesh.positions);
  Json& metrics = found.metrics["place"];
  metrics = {{"limbs_with_curves", skeleton.limbs.size()}, {"used", "embed"}};
  const bool always = options.place == JointPlacement::kCurves;
  const auto named = std::find_if(templates.begin(), templates.end(),
                                  [&](const Template& t) { return t.name == found.plan.template_name; });
  if (named == templates.end()) {
    if (always) use_curves_alone(found, curves, mesh, templates, poses);
    return;
  }
  if (!always && named->plan) return;  // Their joints follow proportions of the whole body.
  rigging::CurvePlacement placement = rigging::read_on_curves(found.plan, *named, curves, poses);
  if (!always)
    std::erase_if(placement.joints, [&](const rigging::JointOnCurves& joint) {
      return (joint.position - found.plan.joints[joint.joint].position).norm() > kFarthestMove * mesh.size();
    });
  rigging::SkeletonPlan moved = found.plan;
  const std::vector<std::string> names =
      rigging::move_to_curves(moved, placement, mesh, always ? kAlways : kWhereClear);
  const rigging::PlacementScore before = rigging::score_placement(found.plan, placement, skeleton, mesh);
  const rigging::PlacementScore after = rigging::score_placement(moved, placement, skeleton, mesh);
  metrics["limbs"] = placement.limbs.size();
  metrics["embed"] = score_json(before);
  metrics["curves"] = score_json(after);
  if (names.empty() || (!always && after.total() < before.total())) return;
  metrics["used"] = "curves";
  metrics["moved"] = names;
  found.plan = std::move(moved);
}

}  // namespace

std::optional<CurveBody> recognise_on_curves(const Mesh& mesh, const std::vector<Template>& templates,
                                             const Progress& progress) {
  std::vector<Template> candidates;
  for (const Template& t : templates)
    if (!t.plan) candidates.push_back(t);
  std::optional<CurveBody> best;
  for (const double least : {0.10, 0.17, 0.25}) {
    geometry::CurveOptions options;
    options.least_tip = least;
    CurveSet curves = geometry::find_curves(mesh, options, progress);
    const auto match = rigging::choose_template(rigging::curve_skeleton(curves, mesh.positions), candidates,
                                                best ? best->match.cost : rigging::kMostTemplateCost);
    if (match) best = CurveBody{std::move(curves), candidates[match->index], *match};
  }
  return best;
}

void place_on_curves(rigging::PlanResult& found, const Mesh& mesh, const std::vector<Template>& templates,
                     const RigOptions& options, const Progress& progress) {
  if (options.place == JointPlacement::kEmbed || options.rigger.compat) return;
  const bool always = options.place == JointPlacement::kCurves;
  poses_of(mesh, options);  // Refuses other meshes before the work.
  if (!always && mesh.vertex_count() > kMostCurvedVertices) return;
  progress.step("following curves", 0.75);
  try {
    place_on(geometry::find_curves(mesh, {}, progress), found, mesh, templates, options);
  } catch (const Error& error) {
    // A mesh without curves still has the joints of the search.
    if (always) throw;
    found.metrics["place"] = {{"used", "embed"}, {"failed", error.what()}};
  }
}

}  // namespace sinew::pipeline
