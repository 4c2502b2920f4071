// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/heat_likeness.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/binding/heat/heat.h"
#include "sinew/core/error.h"
#include "sinew/core/workable.h"
#include "sinew/pipeline/bind_parts.h"
#include "sinew/pipeline/bind_subject.h"

namespace sinew::pipeline {
namespace {

constexpr std::size_t kMostHeatVertices = 30000;
constexpr double kNearHeat = 0.05;

double heat_half_l1(std::span<const Influence> a, std::span<const Influence> b) {
  const auto sum_of = [](std::span<const Influence> row) {
    double sum = 0;
    for (const Influence& i : row) sum += static_cast<double>(i.weight);
    return sum;
  };
  const double whole = sum_of(a);
  if (!(whole > 0) || !std::isfinite(whole)) return 1;
  double common = 0;
  for (const Influence& x : a)
    for (const Influence& y : b)
      if (x.joint == y.joint) common += std::min(static_cast<double>(x.weight) / whole, static_cast<double>(y.weight));
  return 1 - common;
}

}  // namespace

std::string HeatLikeness::sentence() const {
  return fmt::format("{:.0f} % of the rows are within 0.05 of the weights that bone heat computes.", 100 * near);
}

Json HeatLikeness::json() const {
  return {{"mean_half_l1", mean_half_l1}, {"near", near}, {"looks_like_heat", looks_like_heat()}};
}

std::optional<HeatLikeness> heat_likeness(const Rig& rig, const Progress& progress) {
  if (rig.weights.empty() || rig.skeleton.empty() || rig.mesh.vertex_count() > kMostHeatVertices) return std::nullopt;
  try {
    require_workable(rig);
    Findings ignored;
    const binding::Subject whole = bind_subject(rig, {}, ignored);
    const ChosenParts chosen = chosen_parts(rig.mesh, plan_parts(rig, whole.bound));
    if (chosen.vertices.empty()) return std::nullopt;
    const Skeleton skeleton = with_leaf_ends(rig, whole.joints, whole.bound);
    const SkinWeights heat =
        binding::bind_by_heat({chosen.mesh, skeleton, whole.joints, whole.bound}, {}, {}, progress).weights;
    HeatLikeness likeness;
    for (Index i = 0; i < chosen.vertices.size(); ++i) {
      const double difference = heat_half_l1(rig.weights.row(chosen.vertices[i]), heat.row(i));
      likeness.mean_half_l1 += difference;
      likeness.near += difference < kNearHeat ? 1 : 0;
    }
    likeness.mean_half_l1 /= static_cast<double>(chosen.vertices.size());
    likeness.near /= static_cast<double>(chosen.vertices.size());
    return likeness;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace sinew::pipeline
