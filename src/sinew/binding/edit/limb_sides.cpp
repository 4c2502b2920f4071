// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/limb_sides.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sinew/binding/auto/layers_rows.h"

namespace sinew::binding {
namespace {

constexpr double kMinorShare = 0.2;

/// Per joint: the first joint of its limb, or kNone for a joint that has no side. Parents come first.
std::vector<Index> limb_roots(const Skeleton& skeleton) {
  std::vector<Index> root(skeleton.size(), kNone);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (joint.parent != kNone && root[joint.parent] != kNone) root[j] = root[joint.parent];
    else if (joint.mirror != kNone && joint.mirror != j) root[j] = j;
  }
  return root;
}

}  // namespace

SidedRows separate_sides(const SkinWeights& weights, const Skeleton& skeleton, const std::vector<Index>& shell_of) {
  const std::vector<Index> root = limb_roots(skeleton);
  std::map<std::pair<Index, Index>, double> sums;  // By shell and limb.
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& i : weights.row(v))
      if (shell_of[v] != kNone && root[i.joint] != kNone)
        sums[{shell_of[v], root[i.joint]}] += static_cast<double>(i.weight);
  const auto sum_of = [&](Index shell, Index limb) {
    const auto found = sums.find({shell, limb});
    return found == sums.end() ? 0.0 : found->second;
  };
  const auto foreign = [&](Index shell, Index joint) {
    const Index limb = root[joint];
    if (shell == kNone || limb == kNone) return false;
    const Index partner = skeleton.joints[limb].mirror;
    return partner != kNone && sum_of(shell, limb) < kMinorShare * sum_of(shell, partner);
  };
  SidedRows result;
  for (Index v = 0; v < weights.row_count(); ++v) {
    const auto row = weights.row(v);
    WeightRow kept, swapped;
    for (const Influence& i : row) {
      if (!foreign(shell_of[v], i.joint)) kept.push_back(i);
      else if (skeleton.joints[i.joint].mirror != kNone) swapped.push_back({skeleton.joints[i.joint].mirror, i.weight});
    }
    if (kept.size() == row.size() || (kept.empty() && swapped.empty())) {
      result.weights.add_row(row);
      continue;
    }
    RowSum sum;
    sum.add(kept.empty() ? swapped : kept, 1);
    result.weights.add_row(sum.take());
    ++result.changed;
  }
  return result;
}

}  // namespace sinew::binding
