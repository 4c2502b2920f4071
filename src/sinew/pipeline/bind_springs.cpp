// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_springs.h"

#include <cmath>

namespace sinew::pipeline {
namespace {

constexpr double kNoticeableSkin = 4;  // Vertices.
constexpr double kKeptSkin = 0.2;      // Of the weight that a joint had.

double share_of(const Influence& i) {
  return i.weight > 0 && std::isfinite(i.weight) ? static_cast<double>(i.weight) : 0;
}

std::vector<double> weight_of_joints(const SkinWeights& weights, Index joint_count) {
  std::vector<double> sums(joint_count, 0);
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& i : weights.row(v))
      if (i.joint < joint_count) sums[i.joint] += share_of(i);
  return sums;
}

}  // namespace

Index keep_spring_skin(const Rig& rig, VertexSelection& selection) {
  Index kept = 0;
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    if (selection.excluded[v] || selection.rigid[v] != kNone) continue;
    double all = 0, swinging = 0;
    for (const Influence& i : rig.weights.row(v)) {
      all += share_of(i);
      if (rig.skeleton.joints[i.joint].swings) swinging += share_of(i);
    }
    if (!(swinging > 0.5 * all)) continue;
    selection.excluded[v] = 1;
    ++kept;
  }
  return kept;
}

std::vector<Index> joints_that_lost_skin(const SkinWeights& before, const SkinWeights& after, Index joint_count) {
  const std::vector<double> had = weight_of_joints(before, joint_count), has = weight_of_joints(after, joint_count);
  std::vector<Index> lost;
  for (Index j = 0; j < joint_count; ++j)
    if (had[j] >= kNoticeableSkin && has[j] < kKeptSkin * had[j]) lost.push_back(j);
  return lost;
}

}  // namespace sinew::pipeline
