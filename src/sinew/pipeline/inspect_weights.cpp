// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cmath>

#include "sinew/pipeline/inspect_parts.h"

namespace sinew::pipeline {
namespace {

constexpr double kWeightTolerance = 1e-3;

double weight_of(std::span<const Influence> row, Index joint) {
  double sum = 0;
  for (const Influence& influence : row)
    if (influence.joint == joint) sum += static_cast<double>(influence.weight);
  return sum;
}

bool rows_differ(std::span<const Influence> a, std::span<const Influence> b) {
  if (std::equal(a.begin(), a.end(), b.begin(), b.end())) return false;
  for (const auto& row : {a, b})
    for (const Influence& influence : row)
      if (std::abs(weight_of(a, influence.joint) - weight_of(b, influence.joint)) > kWeightTolerance) return true;
  return false;
}

void look_at_row(std::span<const Influence> row, WeightHealth& health) {
  ++health.rows;
  if (health.histogram.size() <= row.size()) health.histogram.resize(row.size() + 1, 0);
  ++health.histogram[row.size()];
  if (row.empty()) {
    ++health.empty_rows;
    return;
  }
  double sum = 0;
  bool bad = false;
  for (const Influence& influence : row) {
    sum += static_cast<double>(influence.weight);
    bad = bad || !std::isfinite(influence.weight) || influence.weight < 0;
  }
  health.bad_values += bad;
  if (!bad && std::abs(sum - 1) > kWeightTolerance) ++health.bad_sums;
  if (!bad && std::abs(sum - 1) > std::abs(health.worst_sum - 1)) health.worst_sum = sum;
}

}  // namespace

WeightHealth weight_health(const Rig& rig, const geometry::Welding& welding, const SkeletonHealth& skeleton) {
  WeightHealth health;
  for (Index j = 0; j < rig.skeleton.size(); ++j)
    if (rig.skeleton.joints[j].deforming && skeleton.joints[j].vertices == 0) health.idle_joints.push_back(j);
  if (rig.weights.empty()) return health;
  std::vector<bool> differs(welding.count(), false);
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin == kNone) continue;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      look_at_row(rig.weights.row(v), health);
      const Index welded = welding.welded[v];
      const Index first = welding.first[welded];
      if (first == v || differs[welded] || !rows_differ(rig.weights.row(v), rig.weights.row(first))) continue;
      differs[welded] = true;
      ++health.split_differs;
    }
  }
  return health;
}

}  // namespace sinew::pipeline
