// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/curve_rigging/curve_rigging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/rigging/curves/curve_skeleton.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

Mesh plain_figure(int steps) {
  shapes::MakeOptions make;
  make.vertices = 504 * (1 << (2 * (steps - 1))) + 2;
  return shapes::make("figure", make).made.character.rig.mesh;
}

/// Bends what is beyond the shoulder at +x about the axis z, over the length of one cube.
std::vector<Vec3> bend_figure(const std::vector<Vec3>& positions, double shoulder, double elbow, double unit,
                              double height, double angle) {
  std::vector<Vec3> bent = positions;
  const auto turn = [&](double s) { return angle * std::clamp((s - elbow) / unit + 0.5, 0.0, 1.0); };
  for (Vec3& p : bent) {
    const double s = p.x() - shoulder;
    if (s <= 0) continue;
    Vec3 line = Vec3::Zero();
    constexpr int kSteps = 200;
    for (int i = 0; i < kSteps; ++i) {
      const double a = turn(s * (i + 0.5) / kSteps);
      line += s / kSteps * Vec3(std::cos(a), std::sin(a), 0);
    }
    const double a = turn(s), off = p.y() - height;
    p = Vec3(shoulder + line.x() - off * std::sin(a), height + line.y() + off * std::cos(a), p.z());
  }
  return bent;
}

const rigging::CurveChain* arm_of(const rigging::CurveSkeleton& skeleton) {
  const rigging::CurveChain* best = nullptr;
  for (const rigging::CurveChain& chain : skeleton.limbs)
    if (!best || chain.nodes.front().position.x() > best->nodes.front().position.x()) best = &chain;
  return best;
}

/// Mean distance of the nodes of one skeleton from the lines of another, over all limbs with the same tip.
double mean_distance(const rigging::CurveSkeleton& a, const rigging::CurveSkeleton& b) {
  double sum = 0;
  int count = 0;
  for (const rigging::CurveChain& chain : a.limbs) {
    const auto other = std::min_element(b.limbs.begin(), b.limbs.end(), [&](const auto& x, const auto& y) {
      return (x.tip - chain.tip).norm() < (y.tip - chain.tip).norm();
    });
    for (const rigging::CurveNode& node : chain.nodes) {
      const double at = other->nearest(node.position);
      if (at <= 0 || at >= other->length()) continue;  // Beyond its ends nothing can be compared.
      sum += (node.position - other->at(at)).norm();
      ++count;
    }
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace

Mesh curve_figure(int vertices) {
  Mesh best;
  for (int seed = 0; seed < 40; ++seed) {
    shapes::MakeOptions make;
    make.vertices = vertices;
    make.seed = seed;
    make.vary = seed == 0 ? 0 : 1;
    Mesh mesh = shapes::make("figure", make).made.character.rig.mesh;
    const auto off = [&](const Mesh& m) { return std::abs(static_cast<double>(m.vertex_count()) - vertices); };
    if (best.positions.empty() || off(mesh) < off(best)) best = std::move(mesh);
  }
  return best;
}

void curve_bends(const Progress& progress, Reproduction& result) {
  ResultTable table{"bends",
                    "Bends found on an arm that is bent by 90°: the published rule against windows",
                    "The elbow is in the middle of an arm of five cubes, and the bend is one cube long. Errors are "
                    "percent of the arm.",
                    {"vertices", "loops", "published rule", "windows", "angle", "error %"},
                    {}};
  for (int steps = 1; steps <= 4; ++steps) {
    progress.check();
    const Mesh mesh = plain_figure(steps);
    const CurveSet curves = geometry::find_curves(mesh);
    const Box box = mesh.bounds();
    // Thirteen cubes from hand to hand, eleven from sole to crown.
    const double unit = box.extent().x() / 13, shoulder = 1.5 * unit, height = box.lower.y() + 8.5 * unit;
    const std::vector<Vec3> bent = bend_figure(mesh.positions, shoulder, 2.5 * unit, unit, height, 0.5 * kPi);
    const rigging::CurveSkeleton skeleton = rigging::curve_skeleton(curves, bent);
    const rigging::CurveChain* arm = arm_of(skeleton);
    if (!arm) continue;
    const auto literal = rigging::find_bends(*arm, rigging::BendRule::kPaper);
    const auto window = rigging::find_bends(*arm);
    const double begin = (arm->nodes.front().position.x() - shoulder) / unit;
    const bool one = window.size() == 1;
    const double error = one ? std::abs(window[0].along / unit + begin - 2.5) / 5 : 1;
    table.rows.push_back({fmt::format("{}", mesh.vertex_count()), fmt::format("{}", arm->nodes.size()),
                          fmt::format("{}", literal.size()), fmt::format("{}", window.size()),
                          one ? fmt::format("{:.1f}°", window[0].angle_rad / kRadPerDegree) : "–",
                          one ? fmt::format("{:.1f}", 100 * error) : "–"});
    result.metrics["bends"].push_back({{"vertices", mesh.vertex_count()},
                                       {"published", literal.size()},
                                       {"windows", window.size()},
                                       {"error_percent", 100 * error}});
    constexpr double kMostError = 0.05;
    if (steps >= 2 && (!one || error > kMostError))
      result.misses.push_back({"reproduce.out_of_bounds", fmt::format("{} vertices", mesh.vertex_count()),
                               "The bend of an arm was not found once, within 5 % of its place."});
  }
  result.tables.push_back(std::move(table));
}

void curve_sources(const Progress& progress, Reproduction& result) {
  ResultTable table{"sources",
                    "Rings of edges against level sets",
                    "Distance between the middle lines of limbs, in percent of the height. One wave is the published "
                    "order, without limbs first.",
                    {"vertices", "rings of edges", "one wave", "level sets", "distance %"},
                    {}};
  for (const int steps : {2, 3}) {
    progress.check();
    const Mesh mesh = plain_figure(steps);
    geometry::CurveOptions levels, wave;
    levels.source = geometry::CurveSource::kLevels;
    wave.walk = geometry::CurveWalk::kPaper;
    const CurveSet rings = geometry::find_curves(mesh), sets = geometry::find_curves(mesh, levels);
    const CurveSet waves = geometry::find_curves(mesh, wave);
    const double distance =
        mean_distance(rigging::curve_skeleton(rings, mesh.positions), rigging::curve_skeleton(sets, mesh.positions)) /
        mesh.bounds().extent().y();
    table.rows.push_back({fmt::format("{}", mesh.vertex_count()), fmt::format("{}", rings.closed_count()),
                          fmt::format("{}", waves.closed_count()), fmt::format("{}", sets.closed_count()),
                          fmt::format("{:.2f}", 100 * distance)});
    result.metrics["sources"].push_back({{"vertices", mesh.vertex_count()},
                                         {"rings", rings.closed_count()},
                                         {"wave", waves.closed_count()},
                                         {"levels", sets.closed_count()},
                                         {"distance_percent", 100 * distance}});
    constexpr double kMostDistance = 0.01;
    if (distance > kMostDistance)
      result.misses.push_back({"reproduce.out_of_bounds", fmt::format("{} vertices", mesh.vertex_count()),
                               "Middle lines of rings and of level sets differ by more than 1 % of the height."});
  }
  result.tables.push_back(std::move(table));
}

Reproduction curve_rigging_experiment(const ReproduceOptions& options, const Progress& progress) {
  Reproduction result;
  progress.step("bends", 0);
  curve_bends(progress, result);
  progress.step("level sets", 0.1);
  curve_sources(progress, result);
  progress.step("hand", 0.2);
  curve_hand(result);
  progress.step("ears", 0.25);
  curve_ears(progress, result);
  curve_data_size(result);
  progress.step("real characters", 0.35);
  curve_real(options, progress, result);
  progress.step("contraction", 0.6);
  curve_contraction(options, progress, result);
  if (options.runs > 0) {
    progress.step("times", 0.8);
    curve_times(options, progress, result);
  }
  return result;
}

}  // namespace sinew::lab
