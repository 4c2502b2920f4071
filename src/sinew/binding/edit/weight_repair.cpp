// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_repair.h"

#include <algorithm>
#include <cmath>

#include "sinew/binding/edit/weight_repair_compare.h"
#include "sinew/binding/edit/weight_repair_gaps.h"
#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

constexpr double kDetourFloor_rel = 0.03;
constexpr double kRadiusFactor = 4;
// Of shells that follow a joint as a whole.
constexpr double kShellGap_rel = 0.25, kShellAtHome = 0.2, kAtHome_rel = 0.05, kContact_rel = 0.01;
// So much of the area of a stray patch may be near the joint.
constexpr double kPatchNear = 0.03;
// A joint is where its bone is if it has so much of the weight of the surface nearest to that.
constexpr double kLeastOwn = 0.2;
// A row that has less of its weight left is solved anew.
constexpr double kLeastLeft = 0.5;

Fault value_fault(std::span<const Influence> row, double tolerance) {
  double sum = 0;
  bool negative = false;
  for (const Influence& influence : row) {
    if (!std::isfinite(influence.weight)) return Fault::kNotFinite;
    negative = negative || influence.weight < 0;
    sum += static_cast<double>(influence.weight);
  }
  if (is_missing_row(row)) return Fault::kUnweighted;
  if (negative) return Fault::kNegative;
  return std::abs(sum - 1) > tolerance ? Fault::kWrongSum : Fault::kNone;
}

BoneTree fitted_bones(const Subject& subject, const EditSurface& surface, const SkinWeights& rows) {
  BoneTree tree = bone_tree(subject);
  fit_ends(tree, surface, rows);
  return tree;
}

// The influences of the welded surface, judged one by one.
class Judge {
 public:
  Judge(const SkinWeights& rows, const Subject& subject, const EditSurface& surface, const EditScope& scope,
        const RepairOptions& options)
      : rows_(rows),
        surface_(surface),
        scope_(scope),
        options_(options),
        tree_(fitted_bones(subject, surface, rows)),
        ways_(subject, tree_, surface.size),
        homes_(find_homes(surface, tree_)),
        links_(surface.count()),
        judged_(subject.skeleton.size(), 0) {
    const std::vector<Index> contacts = shell_contacts(surface, kContact_rel);
    for (Index w = 0; w < surface.count(); ++w)
      if (contacts[w] != kNone) links_[w].push_back(contacts[w]), links_[contacts[w]].push_back(w);
    for (const Index joint : tree_.joints) judged_[joint] = !scope.locked[joint] && !tree_.outgoing[joint].empty();
    verdicts_.resize(surface.count());
  }

  void run() {
    parallel_for(
        surface_.count(), [&](std::size_t w) { judge_alone(static_cast<Index>(w)); }, 512);
    for (const Index joint : tree_.joints)
      if (judged_[joint]) judge_patches(joint);
    acquit_unplaced();
  }

  struct Verdict {
    Index joint;
    Fault fault;
  };
  const std::vector<Verdict>& verdicts(Index w) const { return verdicts_[w]; }
  const std::vector<Index>& unplaced() const { return unplaced_; }

 private:
  bool counts(const Influence& influence) const {
    return judged_[influence.joint] && static_cast<double>(influence.weight) >= options_.least_weight;
  }
  double gap(Index w, Index joint) const { return home_gap(homes_.bones[w], joint, tree_, ways_); }

  // The mean share that joints with next to no gap have.
  double share_at_home(const std::vector<Index>& patch) const {
    double sum = 0;
    for (const Index w : patch)
      for (const Influence& influence : rows_.row(w))
        if (judged_[influence.joint] && gap(w, influence.joint) < kAtHome_rel * surface_.size)
          sum += static_cast<double>(influence.weight);
    return sum / static_cast<double>(patch.size());
  }

  // The gap that all of a patch but a small share of its area exceeds.
  double patch_gap(const std::vector<Index>& patch, Index joint) const {
    std::vector<std::pair<double, Index>> gaps;
    double area = 0;
    for (const Index w : patch) gaps.emplace_back(gap(w, joint), w), area += surface_.areas[w];
    std::sort(gaps.begin(), gaps.end());
    double passed = 0;
    for (const auto& [length, w] : gaps)
      if ((passed += surface_.areas[w]) > kPatchNear * area) return length;
    return gaps.front().first;
  }

  void judge_alone(Index w);
  void judge_patches(Index joint);
  void acquit_unplaced();

  const SkinWeights& rows_;
  const EditSurface& surface_;
  const EditScope& scope_;
  const RepairOptions& options_;
  BoneTree tree_;
  SkeletonWays ways_;
  Homes homes_;
  std::vector<std::vector<Index>> links_;  // Per welded vertex: those of other shells that touch it.
  std::vector<char> judged_;
  std::vector<std::vector<Verdict>> verdicts_;
  std::vector<Index> unplaced_;
};

void Judge::judge_alone(Index w) {
  if (!scope_.editable[surface_.source[w]] || homes_.bones[w].empty()) return;
  for (const Influence& influence : rows_.row(w)) {
    if (!counts(influence)) continue;
    const double way = gap(w, influence.joint);
    const double straight = joint_distance(tree_, influence.joint, surface_.positions[w]);
    if (way > options_.detour * straight + kRadiusFactor * homes_.radius[w] + kDetourFloor_rel * surface_.size)
      verdicts_[w].push_back({influence.joint, Fault::kBleeding});
  }
}

void Judge::judge_patches(Index joint) {
  std::vector<Index> members;
  for (Index w = 0; w < surface_.count(); ++w)
    for (const Influence& influence : rows_.row(w))
      if (influence.joint == joint && counts(influence)) members.push_back(w);
  std::vector<char> state(surface_.count(), 0);  // 1: in the joint's skin, 2: seen.
  for (const Index w : members) state[w] = 1;
  std::vector<Index> patch;
  for (const Index seed : members) {
    if (state[seed] != 1) continue;
    patch.assign(1, seed);
    state[seed] = 2;
    bool bordered = false, beside = false;
    for (std::size_t i = 0; i < patch.size(); ++i) {
      const auto visit = [&](Index other, bool& outside) {
        if (state[other] == 0) outside = outside || !rows_.row(other).empty();
        if (state[other] != 1) return;
        state[other] = 2;
        patch.push_back(other);
      };
      const Index here = patch[i];
      for (const Index other : surface_.rings[here]) visit(other, bordered);
      for (const Index other : links_[here]) visit(other, beside);
    }
    const double least = patch_gap(patch, joint);
    if (!std::isfinite(least) || least < options_.island_gap_rel * surface_.size) continue;
    // Whole shells may follow a joint that is far away. Not if they follow another, that is there, as well, or lie on
    // skin that does not.
    if (!bordered && least < kShellGap_rel * surface_.size) continue;
    if (!bordered && !beside && share_at_home(patch) < kShellAtHome) continue;
    for (const Index w : patch) {
      if (!scope_.editable[surface_.source[w]]) continue;
      auto& found = verdicts_[w];
      if (std::none_of(found.begin(), found.end(), [&](const Verdict& v) { return v.joint == joint; }))
        found.push_back({joint, Fault::kStray});
    }
  }
}

void Judge::acquit_unplaced() {
  std::vector<double> near(judged_.size(), 0), own(judged_.size(), 0);
  for (Index w = 0; w < surface_.count(); ++w) {
    const Index joint = homes_.nearest[w];
    if (joint == kNone || rows_.row(w).empty()) continue;
    near[joint] += surface_.areas[w];
    for (const Influence& influence : rows_.row(w))
      if (influence.joint == joint) own[joint] += surface_.areas[w] * static_cast<double>(influence.weight);
  }
  std::vector<char> acquitted(judged_.size(), 0), accused(judged_.size(), 0);
  for (const auto& found : verdicts_)
    for (const Verdict& verdict : found) accused[verdict.joint] = 1;
  for (Index j = 0; j < judged_.size(); ++j) {
    acquitted[j] = !(own[j] > kLeastOwn * near[j]);
    if (acquitted[j] && accused[j]) unplaced_.push_back(j);
  }
  for (auto& found : verdicts_)
    std::erase_if(found, [&](const Verdict& verdict) { return acquitted[verdict.joint] != 0; });
}

// Gives regions that the repair made worse their old rows back.
void keep_better_rows(const SkinWeights& weights, const Subject& subject, const EditSurface& surface,
                      Repaired& result) {
  std::vector<char> changed(surface.count(), 0);
  const auto judged = [&](Index v) {
    return result.faults.of_vertex[v] == Fault::kBleeding || result.faults.of_vertex[v] == Fault::kStray;
  };
  for (Index v = 0; v < weights.row_count(); ++v)
    if (judged(v)) changed[surface.welding.welded[v]] = 1;
  const std::vector<char> worse = regions_made_worse(welded_rows(surface, weights),
                                                     welded_rows(surface, result.weights), changed, subject, surface);
  if (std::find(worse.begin(), worse.end(), char{1}) == worse.end()) return;
  SkinWeights rows;
  rows.reserve(weights.row_count(), result.weights.influence_count());
  for (Index v = 0; v < weights.row_count(); ++v) {
    const bool keep = judged(v) && worse[surface.welding.welded[v]] != 0;
    rows.add_row(keep ? weights.row(v) : result.weights.row(v));
    result.kept += keep ? 1 : 0;
  }
  result.weights = std::move(rows);
}

}  // namespace

std::string_view fault_name(Fault fault) {
  constexpr std::array<std::string_view, kFaultCount> names = {"none",      "unweighted", "not_finite", "negative",
                                                               "wrong_sum", "bleeding",   "stray"};
  return names[static_cast<std::size_t>(fault)];
}

Faults find_faults(const SkinWeights& weights, const Subject& subject, const EditSurface& surface,
                   const EditScope& scope, const RepairOptions& options) {
  Faults faults;
  faults.of_vertex.assign(weights.row_count(), Fault::kNone);
  faults.wrong_joints.resize(weights.row_count());
  faults.misplaced.assign(weights.row_count(), Fault::kNone);
  const SkinWeights rows = welded_rows(surface, weights);
  Judge judge(rows, subject, surface, scope, options);
  judge.run();
  faults.unplaced = judge.unplaced();
  for (Index v = 0; v < weights.row_count(); ++v) {
    if (!scope.editable[v]) continue;
    Fault& fault = faults.of_vertex[v];
    fault = value_fault(weights.row(v), options.sum_tolerance);
    if (fault != Fault::kUnweighted && fault != Fault::kNotFinite)
      for (const Judge::Verdict& verdict : judge.verdicts(surface.welding.welded[v])) {
        faults.wrong_joints[v].push_back(verdict.joint);
        if (fault == Fault::kNone) fault = verdict.fault;
        if (faults.misplaced[v] == Fault::kNone) faults.misplaced[v] = verdict.fault;
      }
    ++faults.vertices[static_cast<std::size_t>(fault)];
  }
  return faults;
}

Repaired repaired(const SkinWeights& weights, const Subject& subject, const EditSurface& surface,
                  const EditScope& scope, const RepairOptions& options, const Progress& progress) {
  Repaired result;
  progress.step("looking for faults", 0.2);
  result.faults = find_faults(weights, subject, surface, scope, options);
  std::vector<char> missing(weights.row_count(), 0);
  SkinWeights mended;
  mended.reserve(weights.row_count(), weights.influence_count());
  std::vector<Influence> row;
  for (Index v = 0; v < weights.row_count(); ++v) {
    const Fault fault = result.faults.of_vertex[v];
    const auto own = weights.row(v);
    if (fault == Fault::kNone) {
      mended.add_row(own);
      continue;
    }
    missing[v] = fault == Fault::kUnweighted || fault == Fault::kNotFinite;
    const std::vector<Index>& wrong = result.faults.wrong_joints[v];
    row.clear();
    double all = 0, left = 0;
    if (!missing[v])
      for (const Influence& influence : own) {
        if (!(influence.weight > 0)) continue;
        all += static_cast<double>(influence.weight);
        if (std::find(wrong.begin(), wrong.end(), influence.joint) != wrong.end()) continue;
        left += static_cast<double>(influence.weight);
        row.push_back(influence);
      }
    const bool fixed =
        std::any_of(row.begin(), row.end(), [&](const Influence& i) { return scope.locked[i.joint] != 0; });
    if (!missing[v] && !fixed && left < kLeastLeft * all) missing[v] = 1;
    if (missing[v]) {
      mended.add_row({});
      continue;
    }
    if (scope.any_locked) restore_locked(own, row, scope.locked);
    for (Influence& influence : row)
      if (!scope.any_locked) influence.weight = static_cast<float>(static_cast<double>(influence.weight) / left);
    ++(wrong.empty() ? result.scaled : result.pruned);
    mended.add_row(row);
  }
  progress.step("solving rows", 0.5);
  result.filled = filled(mended, missing, subject, surface, scope, progress);
  result.weights = std::move(result.filled.weights);
  keep_better_rows(weights, subject, surface, result);
  return result;
}

}  // namespace sinew::binding
