// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/weights_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/binding/edit/weight_edit_surface.h"
#include "sinew/motion/retarget/joint_matching.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

constexpr double kNoChange = 1e-4;
constexpr double kSumTolerance = 0.01;
constexpr std::size_t kMostRows = 40;

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

Json changes_json(const WeightChanges& changes, const Skeleton& skeleton) {
  Json joints = Json::array();
  for (const JointChange& change : changes.joints)
    joints.push_back({{"joint", skeleton.joints[change.joint].name},
                      {"vertices", change.vertices},
                      {"weight_before", change.before},
                      {"weight_after", change.after},
                      {"largest_change", change.largest}});
  return {{"vertices", changes.vertices}, {"rows_added", changes.added}, {"joints", std::move(joints)}};
}

ResultTable changes_table(const WeightChanges& changes, const Skeleton& skeleton) {
  ResultTable table;
  table.id = "changes";
  table.title = fmt::format("changes    {} vertices, {} joints", changes.vertices, changes.joints.size());
  table.header = {"joint", "vertices", "weight before", "after", "largest change"};
  for (std::size_t i = 0; i < std::min(kMostRows, changes.joints.size()); ++i) {
    const JointChange& c = changes.joints[i];
    table.rows.push_back({skeleton.joints[c.joint].name, fmt::format("{}", c.vertices), fmt::format("{:.1f}", c.before),
                          fmt::format("{:.1f}", c.after), fmt::format("{:.3f}", c.largest)});
  }
  if (changes.joints.size() > kMostRows)
    table.note = fmt::format("{} more; --json lists them all", changes.joints.size() - kMostRows);
  return table;
}

WeightComparison compare_weights(const Rig& rig, const Rig& other) {
  WeightComparison comparison;
  const Index own_count = rig.skeleton.size();
  const SkinWeights theirs = motion::weights_by_name(other, rig.skeleton).normalized();
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

Json comparison_json(const WeightComparison& comparison) {
  Json joints = Json::array();
  for (const auto& joint : comparison.joints)
    joints.push_back({{"joint", joint.name},
                      {"half_l1", joint.half_l1},
                      {"dominates", joint.dominates},
                      {"same_dominant", joint.same}});
  return {{"mean_half_l1", comparison.all.mean_half_l1},   {"worst_half_l1", comparison.all.worst_half_l1},
          {"same_dominant", comparison.all.same_dominant}, {"empty_rows", comparison.all.empty_rows},
          {"unmatched_joints", comparison.unmatched},      {"joints", std::move(joints)}};
}

ResultTable comparison_table(const WeightComparison& comparison) {
  ResultTable table;
  table.id = "compare";
  table.title = fmt::format(
      "agreement  half L1 {:.4f} in the mean, {:.3f} at worst; same dominant joint on {:.1f} % of the vertices",
      comparison.all.mean_half_l1, comparison.all.worst_half_l1, 100 * comparison.all.same_dominant);
  table.header = {"joint", "half L1, sum", "dominates", "in both"};
  for (std::size_t i = 0; i < std::min(kMostRows, comparison.joints.size()); ++i) {
    const auto& joint = comparison.joints[i];
    table.rows.push_back({joint.name, fmt::format("{:.2f}", joint.half_l1), fmt::format("{}", joint.dominates),
                          fmt::format("{}", joint.same)});
  }
  if (comparison.joints.size() > kMostRows)
    table.note = fmt::format("{} more; --json lists them all", comparison.joints.size() - kMostRows);
  return table;
}

}  // namespace sinew::jobs
