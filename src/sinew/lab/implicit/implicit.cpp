// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/implicit/implicit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/lab/implicit/characters.h"
#include "sinew/measure/contacts.h"

namespace sinew::lab {
namespace {

struct LimbSkinning {
  std::string name, method;
  deform::ImplicitOptions implicit = {};

  std::unique_ptr<deform::Deformer> bound(const Rig& rig, const Segmentation* segmentation = nullptr) const {
    deform::MethodInputs inputs;
    inputs.segmentation = segmentation;
    if (method != "implicit") return deform::bind(method, rig, {}, {}, inputs);
    return deform::bind(method, rig, implicit, {}, inputs);
  }
};

LimbSkinning implicit_with(std::string name, deform::ImplicitBase base, deform::EndSamples ends) {
  LimbSkinning skinning{std::move(name), "implicit"};
  skinning.implicit.base = base;
  skinning.implicit.end_samples = ends;
  return skinning;
}

std::vector<Vec3f> posed(const deform::Deformer& deformer, const Rig& rig, const ModelPose& pose) {
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  deformer.deform(*state, {pose}, {positions, {}, nullptr});
  return positions;
}

std::vector<std::string> figure_cells(const LimbFigures& figures) {
  return {std::to_string(figures.pairs), std::to_string(figures.shrunk), fmt::format("{:.3f}", figures.depth),
          fmt::format("{:.3f}", figures.volume)};
}

/// Each half of the limb belongs to its own bone.
Segmentation limb_halves(const Rig& limb) {
  Segmentation halves;
  halves.segments = {{0, 1}, {1, kNone}};
  const double length = limb.skeleton.joints[1].rest.translation.x();
  for (const Vec3& p : limb.mesh.positions) {
    halves.owner.push_back(p.x() < 0 ? 0 : 1);
    halves.along.push_back(static_cast<float>(p.x() < 0 ? 1 + p.x() / length : p.x() / length));
  }
  return halves;
}

/// The smallest distance from the axis of a vertex of the tube, in radii.
double thinnest(const Rig& limb, const LimbShape& shape, const std::vector<Vec3f>& positions) {
  double least = 1;
  for (std::size_t v = 0; v < positions.size(); ++v)
    if (std::abs(limb.mesh.positions[v].x()) < shape.length)
      least = std::min(least, std::hypot(static_cast<double>(positions[v].y()), static_cast<double>(positions[v].z())) /
                                  shape.radius);
  return least;
}

}  // namespace

LimbFigures limb_figures(const Rig& limb, double radius, const std::vector<Vec3f>& positions) {
  const Mesh mesh = with_positions(limb.mesh, positions);
  const geometry::Welding welding = geometry::weld(limb.mesh);
  const std::vector<double> radii(welding.count(), radius);
  const measure::Contacts contacts = measure::contacts(mesh, welding, radii, 0.02);
  return {contacts.pairs, contacts.shrunk, contacts.depth / radius,
          geometry::volume(mesh).volume / geometry::volume(limb.mesh).volume};
}

void implicit_bends(const Progress& progress, Reproduction& result, int step) {
  using deform::EndSamples;
  using deform::ImplicitBase;
  const LimbShape shape;
  const Rig limb = two_bone_limb(shape);
  const Segmentation halves = limb_halves(limb);
  const std::vector<LimbSkinning> methods = {{"lbs", "lbs"},
                                             {"dqs", "dqs"},
                                             {"pbd", "pbd"},
                                             implicit_with("implicit on lbs", ImplicitBase::kLbs, EndSamples::kNeeded),
                                             implicit_with("implicit on dqs", ImplicitBase::kDqs, EndSamples::kNeeded),
                                             implicit_with("raw closure", ImplicitBase::kDqs, EndSamples::kNever),
                                             implicit_with("ends always", ImplicitBase::kDqs, EndSamples::kAlways)};
  std::vector<ResultTable> tables;
  const auto add_table = [&](const char* id, const char* title, const char* note) {
    ResultTable table{id, title, note, {"bend"}, {}};
    for (const LimbSkinning& method : methods) table.header.push_back(method.name);
    tables.push_back(std::move(table));
  };
  add_table("pairs", "Intersecting triangles of a limb that bends", "A contact is a surface without thickness.");
  add_table("shrunk", "The same after shrinking by 2 % of the radius", "");
  add_table("depth", "Depth of the deepest vertex inside, in radii", "");
  add_table("volume", "Volume relative to rest", "");
  std::vector<std::unique_ptr<deform::Deformer>> deformers;
  for (const LimbSkinning& method : methods) deformers.push_back(method.bound(limb, &halves));
  for (int degrees = 0; degrees <= 140; degrees += step) {
    progress.step("bending", degrees / 150.0);
    for (ResultTable& table : tables) table.rows.push_back({fmt::format("{}°", degrees)});
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const LimbFigures figures = limb_figures(
          limb, shape.radius, posed(*deformers[m], limb, limb_pose(limb, Vec3::UnitZ(), radians(degrees))));
      const auto cells = figure_cells(figures);
      for (std::size_t t = 0; t < tables.size(); ++t) tables[t].rows.back().push_back(cells[t]);
      if (methods[m].name != "implicit on dqs") continue;
      if (degrees <= 90 && figures.shrunk > 0)
        result.misses.push_back({"implicit.pairs", fmt::format("{}°", degrees), "Triangles intersect up to 90°."});
      if (degrees <= 120 && figures.depth > 0.02)
        result.misses.push_back({"implicit.depth", fmt::format("{}°", degrees), "Skin is inside skin up to 120°."});
      if (degrees <= 90 && std::abs(figures.volume - 1) > 0.03)
        result.misses.push_back({"implicit.volume", fmt::format("{}°", degrees), "The volume changes by over 3 %."});
    }
  }
  for (ResultTable& table : tables) result.tables.push_back(std::move(table));
}

void implicit_operators(const Progress& progress, Reproduction& result) {
  const LimbShape shape;
  const Rig limb = two_bone_limb(shape);
  ResultTable table{"operators",
                    "A limb bent by 60° and 90°, by operator",
                    "Figures as above.",
                    {"operator", "60° shrunk", "60° depth", "60° volume", "90° shrunk", "90° depth", "90° volume"},
                    {}};
  for (const auto kind :
       {deform::JointOperator::kUnion, deform::JointOperator::kBlend, deform::JointOperator::kBulge}) {
    progress.check();
    LimbSkinning skinning{option_words(kind)[static_cast<std::size_t>(kind)], "implicit"};
    skinning.implicit.joint_operator = kind;
    const auto deformer = skinning.bound(limb);
    std::vector<std::string> row = {skinning.name};
    for (const double degrees : {60.0, 90.0}) {
      const auto cells = figure_cells(
          limb_figures(limb, shape.radius, posed(*deformer, limb, limb_pose(limb, Vec3::UnitZ(), radians(degrees)))));
      row.insert(row.end(), cells.begin() + 1, cells.end());
    }
    table.rows.push_back(std::move(row));
  }
  result.tables.push_back(std::move(table));
}

void implicit_twists(const Progress& progress, Reproduction& result) {
  using deform::EndSamples;
  using deform::ImplicitBase;
  const LimbShape shape;
  const Rig limb = two_bone_limb(shape);
  const Segmentation halves = limb_halves(limb);
  ResultTable table{"twist", "Thinnest section of a limb twisted by 180°, in radii", "", {"method", "thinnest"}, {}};
  for (const LimbSkinning& method : {LimbSkinning{"lbs", "lbs"}, LimbSkinning{"slbs", "slbs"},
                                     implicit_with("implicit on lbs", ImplicitBase::kLbs, EndSamples::kNeeded),
                                     implicit_with("implicit on dqs", ImplicitBase::kDqs, EndSamples::kNeeded),
                                     implicit_with("implicit on slbs", ImplicitBase::kSlbs, EndSamples::kNeeded)}) {
    progress.check();
    ModelPose pose = limb_pose(limb, Vec3::UnitX(), kPi);
    pose.twist_rad = {0, kPi};
    const double least = thinnest(limb, shape, posed(*method.bound(limb, &halves), limb, pose));
    table.rows.push_back({method.name, fmt::format("{:.3f}", least)});
    if (method.name == "implicit on slbs" && least < 0.9)
      result.misses.push_back({"implicit.twist", "", "The thinnest section at 180° is below 0.9 of the radius."});
  }
  result.tables.push_back(std::move(table));
}

void implicit_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  if (options.runs == 0) return;
  using Clock = std::chrono::steady_clock;
  ResultTable table{"time", "Time of a frame of a limb bent by 90°", "", {"vertices", "µs a vertex", "times lbs"}, {}};
  for (const Index around : {20U, 40U, 80U}) {
    LimbShape shape;
    shape.around = around, shape.along = around + around / 2;
    const Rig limb = two_bone_limb(shape);
    const ModelPose pose = limb_pose(limb, Vec3::UnitZ(), radians(90));
    std::vector<double> seconds;
    for (const char* method : {"lbs", "implicit"}) {
      const auto deformer = deform::bind(method, limb);
      const auto state = deformer->make_state();
      std::vector<Vec3f> positions(limb.mesh.positions.size());
      double best = 1e9;
      for (int run = 0; run < std::min(options.runs, 50); ++run) {
        progress.check();
        const auto begin = Clock::now();
        deformer->deform(*state, {pose}, {positions, {}, nullptr});
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
      }
      seconds.push_back(best);
    }
    table.rows.push_back({std::to_string(limb.mesh.vertex_count()),
                          fmt::format("{:.3f}", 1e6 * seconds[1] / limb.mesh.vertex_count()),
                          fmt::format("{:.1f}", seconds[1] / seconds[0])});
  }
  result.times.push_back(std::move(table));
}

Reproduction implicit_experiment(const ReproduceOptions& options, const Progress& progress) {
  Reproduction result;
  if (!options.only.empty()) {
    implicit_characters(options, progress, result);
    return result;
  }
  implicit_bends(progress, result);
  implicit_operators(progress, result);
  implicit_twists(progress, result);
  implicit_folds(progress, result);
  implicit_characters(options, progress, result);
  implicit_times(options, progress, result);
  return result;
}

}  // namespace sinew::lab
