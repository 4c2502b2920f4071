// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sinew/geometry/curves/curves.h"
#include "sinew/geometry/mesh/subdivide.h"
#include "sinew/lab/curve_rigging/curve_rigging.h"
#include "sinew/pipeline/rig.h"
#include "sinew/rigging/curves/curve_template.h"
#include "sinew/rigging/templates/template_file.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

using CubePlace = std::array<int, 3>;

/// A person of cubes with ears beside the head, which are as long as arms at 4.
std::set<CubePlace> eared_cubes(int ear) {
  std::set<CubePlace> cubes;
  for (int x = 0; x < 3; ++x)
    for (int y = 5; y < 9; ++y) cubes.insert({x, y, 0});
  for (int y = 0; y < 5; ++y) cubes.insert({0, y, 0}), cubes.insert({2, y, 0});
  for (int i = 1; i <= 5; ++i) cubes.insert({-i, 8, 0}), cubes.insert({2 + i, 8, 0});
  for (int y = 9; y < 13; ++y) cubes.insert({1, y, 0});
  for (int i = 1; i <= ear; ++i) cubes.insert({1 - i, 10, 0}), cubes.insert({1 + i, 10, 0});
  return cubes;
}

Mesh rounded_cubes(const std::set<CubePlace>& cubes, int steps) {
  Mesh mesh;
  std::map<CubePlace, Index> corners;
  for (const CubePlace& cube : cubes)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) {
        CubePlace beyond = cube;
        beyond[axis] += 2 * side - 1;
        if (cubes.count(beyond)) continue;
        std::array<Index, 4> face{};
        for (std::size_t i = 0; i < 4; ++i) {
          CubePlace corner = cube;
          corner[axis] += side;
          corner[(axis + 1) % 3] += i == 1 || i == 2 ? 1 : 0;
          corner[(axis + 2) % 3] += i >= 2 ? 1 : 0;
          const auto [entry, added] = corners.emplace(corner, mesh.vertex_count());
          if (added) mesh.positions.emplace_back(corner[0] - 1.5, corner[1], corner[2] - 0.5);
          face[side == 1 ? i : 3 - i] = entry->second;
        }
        mesh.add_face(face);
      }
  return geometry::subdivide(mesh, geometry::SubdivisionScheme::kCatmullClark, steps).mesh;
}

/// How many of the four elbows and hands are in the arms.
int arm_joints_in_arms(const rigging::SkeletonPlan& plan) {
  int count = 0;
  for (const char* role : {"left_forearm", "right_forearm", "left_hand", "right_hand"}) {
    const Index j = plan.find_role(role);
    if (j == kNone) continue;
    const Vec3& p = plan.joints[j].position;
    count += std::abs(p.y() - 8.5) < 0.6 && std::abs(p.x()) > 1.5 ? 1 : 0;
  }
  return count;
}

rigging::SkeletonPlan embedded_plan(const Mesh& mesh, bool compat, const Progress& progress) {
  Rig rig;
  rig.mesh = mesh;
  rigging::RiggerRequest request;
  request.templates = {rigging::find_template("human")};
  rigging::RiggerOptions options;
  options.compat = compat;
  try {
    return pipeline::plan_body(rig, request, options, progress).plan;
  } catch (const Error&) {
    return {};  // It fits nothing.
  }
}

rigging::SkeletonPlan curve_plan(const Mesh& mesh, const char* name) {
  const CurveSet curves = geometry::find_curves(mesh);
  const Template& t = rigging::find_template(name);
  // There is nothing to choose from.
  constexpr double kAny = 10;
  const auto match = rigging::choose_template(rigging::curve_skeleton(curves, mesh.positions), std::span(&t, 1), kAny);
  if (!match) return {};
  const std::vector<std::vector<Vec3>> poses = {mesh.positions};
  return rigging::plan_on_curves(t, *match, curves, poses).plan;
}

}  // namespace

void curve_ears(const Progress& progress, Reproduction& result) {
  ResultTable table{"figure_9",
                    "Figure 9: large ears, and joints of arms that are in the arms (of 4)",
                    "The released Pinocchio's constants (--compat), Sinew's search, and curves alone, all with the "
                    "template of a person. An arm is five cubes long.",
                    {"ears, cubes", "compat", "search", "curves"},
                    {}};
  for (const int ear : {0, 2, 4, 5}) {
    progress.check();
    const Mesh mesh = rounded_cubes(eared_cubes(ear), 2);
    const int compat = arm_joints_in_arms(embedded_plan(mesh, true, progress));
    const int search = arm_joints_in_arms(embedded_plan(mesh, false, progress));
    const int curves = arm_joints_in_arms(curve_plan(mesh, "human"));
    table.rows.push_back(
        {fmt::format("{}", ear), fmt::format("{}", compat), fmt::format("{}", search), fmt::format("{}", curves)});
    result.metrics["ears"].push_back({{"ear", ear}, {"compat", compat}, {"search", search}, {"curves", curves}});
    if (curves < 4)
      result.misses.push_back({"reproduce.out_of_bounds", fmt::format("ears of {}", ear),
                               "Curves put joints of the arms outside the arms."});
  }
  result.tables.push_back(std::move(table));
}

void curve_hand(Reproduction& result) {
  ResultTable table{"figure_4g",
                    "Figure 4g: joints of a hand by down-sampling and by the template",
                    "Synthetic hands. Bends are joints where a finger turns by more than 20°; the template adds the "
                    "others by ratios of length. Errors are mean distances to the true joints, in percent of the size.",
                    {"hand", "fingers", "bends", "by template", "error of bends %", "error of others %"},
                    {}};
  const Template& t = rigging::find_template("hand");
  for (const char* pose : {"t", "a", "random"}) {
    shapes::MakeOptions make;
    make.vertices = 6000;
    make.made_pose = pose;
    const shapes::Made made = shapes::make("hand", make).made;
    const Rig& rig = made.character.rig;
    const rigging::SkeletonPlan plan = curve_plan(rig.mesh, "hand");
    const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
    std::array<double, 2> sum = {0, 0};
    std::array<int, 2> count = {0, 0};
    for (const rigging::PlannedJoint& joint : plan.joints) {
      const auto truth = std::find_if(made.template_joints.begin(), made.template_joints.end(),
                                      [&](const auto& each) { return each.name == joint.name; });
      if (truth == made.template_joints.end()) continue;
      const std::size_t kind = joint.origin == "bend" ? 0 : 1;
      sum[kind] += (joint.position - frames[truth->joint].topRightCorner<3, 1>()).norm() / rig.mesh.size();
      ++count[kind];
    }
    const auto mean = [&](std::size_t kind) { return count[kind] == 0 ? 0 : 100 * sum[kind] / count[kind]; };
    const auto fingers = std::count_if(t.limbs.begin(), t.limbs.end(), [&](const Template::Limb& limb) {
      return limb.kind == "finger" && std::any_of(plan.joints.begin(), plan.joints.end(), [&](const auto& joint) {
               return joint.name == t.joints[limb.joints.front()].name;
             });
    });
    table.rows.push_back({pose, fmt::format("{}", fingers), fmt::format("{}", count[0]), fmt::format("{}", count[1]),
                          count[0] == 0 ? "–" : fmt::format("{:.1f}", mean(0)), fmt::format("{:.1f}", mean(1))});
    result.metrics["hand"].push_back({{"pose", pose},
                                      {"fingers", fingers},
                                      {"bends", count[0]},
                                      {"by_template", count[1]},
                                      {"error_percent", {mean(0), mean(1)}}});
  }
  result.tables.push_back(std::move(table));
}

void curve_data_size(Reproduction& result) {
  ResultTable table{"data_size",
                    "Data of curves beside that of the mesh, in kilobytes",
                    "Single precision and 32-bit indices. Curves hold an index for each point and two numbers for each "
                    "curve, and share the positions of the mesh; level sets hold two indices and a fraction.",
                    {"vertices", "mesh of a pose", "rings and arcs", "level sets"},
                    {}};
  for (const int vertices : {7207, 13201, 32238}) {
    const Mesh mesh = curve_figure(vertices);
    geometry::CurveOptions levels;
    levels.source = geometry::CurveSource::kLevels;
    const CurveSet rings = geometry::find_curves(mesh), sets = geometry::find_curves(mesh, levels);
    const auto bytes = [](const CurveSet& set) {
      std::size_t sum = 8 * set.curves.size();
      for (const CurvePoint& p : set.points) sum += p.a == p.b ? 4 : 12;
      return sum;
    };
    const std::size_t body = 12 * mesh.positions.size() + 4 * (mesh.face_vertices.size() + mesh.face_offsets.size());
    const auto text = [](std::size_t size) { return fmt::format("{:.0f}", static_cast<double>(size) / 1e3); };
    table.rows.push_back({fmt::format("{}", mesh.vertex_count()), text(body), text(bytes(rings)), text(bytes(sets))});
    result.metrics["data_size"].push_back({{"vertices", mesh.vertex_count()},
                                           {"mesh_bytes", body},
                                           {"ring_bytes", bytes(rings)},
                                           {"level_bytes", bytes(sets)}});
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
