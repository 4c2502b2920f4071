// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/deform/curves/curve_motion.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/lab/ode/ode.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

constexpr int kMostPairs = 1000;

struct PairTally {
  int pairs = 0, not_finite = 0, not_equal = 0;
  double farthest = 0;    // Largest displacement of a curve on the way, relative to its step.
  double at_the_end = 0;  // Largest distance from a pose at its time, relative to the size.
};

std::vector<Vec3> random_pose(const Rig& rig, std::mt19937& random) {
  Pose pose = rest_pose(rig);
  std::normal_distribution<double> normal;
  for (Transform& local : pose.local)
    local.rotation = local.rotation * rotation_exp(0.6 * Vec3(normal(random), normal(random), normal(random)));
  return deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, pose.morph_weights});
}

void add_overshoot(const CurveSet& curves, const deform::CurveMotion& motion, double t, PairTally& tally) {
  const std::vector<Vec3f> from = motion.displacements(0), to = motion.displacements(1), now = motion.displacements(t);
  for (const Curve& curve : curves.curves) {
    double moved = 0, whole = 0;
    for (const CurvePoint& point : curves.of(curve)) {
      if (point.a != point.b) return;  // Nodes of level sets are not vertices.
      moved += (now[point.a] - from[point.a]).cast<double>().squaredNorm();
      whole += (to[point.a] - from[point.a]).cast<double>().squaredNorm();
    }
    if (whole > 1e-12) tally.farthest = std::max(tally.farthest, std::sqrt(moved / whole));
  }
}

void try_pair(const Rig& rig, const CurveSet& curves, std::mt19937& random, PairTally& tally) {
  const std::vector<std::vector<Vec3>> poses = {random_pose(rig, random), random_pose(rig, random)};
  const std::vector<double> times = {0, 1};
  const deform::CurveMotion motion(rig, curves, deform::fit_joint_poses(rig, poses), {poses, times, 1.0});
  std::vector<Vec3f> one(rig.mesh.positions.size()), two(one);
  ++tally.pairs;
  for (const double t : {0.0, 0.3, 0.6, 1.0}) {
    const int threads = thread_count();
    set_thread_count(1);
    motion.evaluate(t, one);
    set_thread_count(threads);
    motion.evaluate(t, two);
    tally.not_equal += std::memcmp(one.data(), two.data(), one.size() * sizeof(Vec3f)) == 0 ? 0 : 1;
    tally.not_finite += std::all_of(one.begin(), one.end(), [](const Vec3f& p) { return p.allFinite(); }) ? 0 : 1;
    add_overshoot(curves, motion, t, tally);
    if (t != 0 && t != 1) continue;
    for (std::size_t v = 0; v < one.size(); ++v)
      tally.at_the_end = std::max(tally.at_the_end, (one[v].cast<double>() - poses[t == 0 ? 0 : 1][v]).norm());
  }
}

}  // namespace

void ode_random_pairs(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable table{
      "random_pairs",
      "Pairs of random poses of made characters",
      "Every joint turns by 0.6 radians times a normal deviate about each axis. The third figure is the largest "
      "displacement of a curve on its way, relative to that at its end; above 1 it would overshoot.",
      {"character", "pairs", "not finite", "farthest", "from the poses, of the size", "threads differ"},
      {}};
  std::mt19937 random(static_cast<std::mt19937::result_type>(options.seed));
  for (const char* kind : {"human", "quadruped"}) {
    shapes::MakeOptions make;
    make.vertices = 2500;
    const Rig rig = shapes::make(kind, make).made.character.rig;
    const CurveSet curves = geometry::find_curves(rig.mesh);
    PairTally tally;
    for (int pair = 0; pair < std::min(options.characters, kMostPairs) / 2; ++pair) {
      progress.check();
      try_pair(rig, curves, random, tally);
    }
    table.rows.push_back({kind, fmt::format("{}", tally.pairs), fmt::format("{}", tally.not_finite),
                          fmt::format("{:.6f}", tally.farthest),
                          fmt::format("{:.1e}", tally.at_the_end / rig.mesh.size()),
                          fmt::format("{}", tally.not_equal)});
    if (tally.not_finite + tally.not_equal > 0 || tally.farthest > 1.001)
      result.misses.push_back({"ode.random_pairs", kind, "Shapes between random poses are not as they should be."});
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
