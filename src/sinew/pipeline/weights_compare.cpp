// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/weights_compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/binding/edit/weight_edit_surface.h"
#include "sinew/motion/retarget/joint_matching.h"
#include "sinew/pipeline/same_vertices.h"

namespace sinew::pipeline {
namespace {

constexpr double kNoChange = 1e-4;
constexpr double kSumTolerance = 0.01;

// The row as it counts: scaled to 1 if its sum is about that, as it stands otherwise; nothing where it is no row.
std::vector<Influence> counted(std::span<const Influence> row) {
  if (binding::is_missing_row(row)) return {};
  std::map<Index, double> weight;
  double sum = 0;
  for (const Influence& influence : row) {
    weight[influence.joint] += static_cast<double>(influence.weight);
    sum += static_cast<double>(influence.weight);
  }
  const double scale = std::abs(sum - 1) <= kSumTolerance ? 1 / sum : 1;
  std::vector<Influence> result;
  for (const auto& [joint, w] : weight) result.push_back({joint, static_cast<float>(w * scale)});
  return result;
}

double weight_in(const std::vector<Influence>& row, Index joint) {
  for (const Influence& influence : row)
    if (influence.joint == joint) return static_cast<double>(influence.weight);
  return 0;
}

}  // namespace

WeightChanges weight_changes(const SkinWeights& before, const SkinWeights& after, Index joint_count) {
  WeightChanges changes;
  std::vector<JointChange> joints(joint_count);
  for (Index j = 0; j < joint_count; ++j) joints[j].joint = j;
  for (Index v = 0; v < before.row_count(); ++v) {
    const std::vector<Influence> old = counted(before.row(v)), now = counted(after.row(v));
    bool changed = old.empty() != now.empty();
    const auto look = [&](Index joint) {
      JointChange& change = joints[joint];
      const double a = weight_in(old, joint), b = weight_in(now, joint);
      change.before += a;
      change.after += b;
      if (std::abs(a - b) <= kNoChange) return;
      changed = true;
      ++change.vertices;
      change.largest = std::max(change.largest, std::abs(a - b));
    };
    for (const Influence& influence : old) look(influence.joint);
    for (const Influence& influence : now)
      if (std::none_of(old.begin(), old.end(), [&](const Influence& i) { return i.joint == influence.joint; }))
        look(influence.joint);
    changes.vertices += changed ? 1 : 0;
    changes.added += old.empty() && !now.empty() ? 1 : 0;
  }
  for (const JointChange& change : joints)
    if (change.vertices > 0) changes.joints.push_back(change);
  std::stable_sort(changes.joints.begin(), changes.joints.end(),
                   [](const JointChange& a, const JointChange& b) { return a.vertices > b.vertices; });
  return changes;
}

WeightComparison compare_weights(const Rig& rig, const Rig& other) {
  const std::vector<Index> partners = same_vertices(rig.mesh, other.mesh);
  WeightComparison comparison;
  const Index own_count = rig.skeleton.size();
  const SkinWeights theirs = matched_rows(motion::weights_by_name(other, rig.skeleton), partners).normalized();
  const SkinWeights ours = rig.weights.normalized();
  comparison.all = measure::weight_agreement(ours, theirs);
  std::vector<WeightComparison::PerJoint> joints(own_count + other.skeleton.size());
  std::vector<char> used(joints.size(), 0);
  for (Index v = 0; v < ours.row_count(); ++v) {
    const auto a = ours.row(v), b = theirs.row(v);
    const auto find = [](std::span<const Influence> row, Index joint) {
      const auto at = std::find_if(row.begin(), row.end(), [&](const Influence& i) { return i.joint == joint; });
      return at == row.end() ? 0.0 : static_cast<double>(at->weight);
    };
    for (const Influence& i : a) {
      used[i.joint] = 1;
      joints[i.joint].half_l1 += 0.5 * std::abs(static_cast<double>(i.weight) - find(b, i.joint));
    }
    for (const Influence& i : b) {
      used[i.joint] = 1;
      if (find(a, i.joint) == 0) joints[i.joint].half_l1 += 0.5 * static_cast<double>(i.weight);
    }
    if (a.empty()) continue;
    ++joints[a.front().joint].dominates;
    if (!b.empty() && b.front().joint == a.front().joint) ++joints[a.front().joint].same;
  }
  for (Index j = 0; j < joints.size(); ++j) {
    if (!used[j]) continue;
    joints[j].name = j < own_count ? rig.skeleton.joints[j].name : other.skeleton.joints[j - own_count].name;
    if (j >= own_count) comparison.unmatched.push_back(joints[j].name);
    comparison.joints.push_back(joints[j]);
  }
  std::stable_sort(comparison.joints.begin(), comparison.joints.end(),
                   [](const auto& a, const auto& b) { return a.half_l1 > b.half_l1; });
  return comparison;
}

}  // namespace sinew::pipeline
