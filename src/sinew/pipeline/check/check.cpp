// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/check/check.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/workable.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/check/check_parts.h"
#include "sinew/pipeline/edit_weights.h"
#include "sinew/pipeline/weights_partners.h"

namespace sinew::pipeline {
namespace {

CheckedSkin checked_skin(const Rig& rig) {
  Findings ignored;
  binding::Subject subject{rig.mesh, rig.skeleton, binding_matrices(rig, ignored),
                           std::vector<char>(rig.skeleton.size(), 0)};
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    for (const Influence& i : rig.weights.row(v))
      if (i.weight > 0) subject.bound[i.joint] = 1;
  binding::EditSurface surface = binding::edit_surface(rig.mesh, rig.weights);
  SkinWeights rows = binding::welded_rows(surface, rig.weights);
  std::vector<Index> owner(surface.count(), kNone);
  for (Index v = 0; v < surface.count(); ++v)
    if (!rows.row(v).empty()) owner[v] = rows.row(v).front().joint;
  return {std::move(subject), binding::edit_scope(rig), std::move(surface), std::move(rows), std::move(owner)};
}

CheckInput make_input(const Character& character, const Progress& progress) {
  CheckInput input{character, inspect(character, {}, progress), motion::recognize(character.rig.skeleton), {}, {}, 0};
  input.partner = partners_by_names(character.rig.skeleton);
  input.size = std::max(character.rig.mesh.size(), 1e-300);
  if (has_skin_weights(character.rig) && !unworkable(character.rig)) input.skin.emplace(checked_skin(character.rig));
  return input;
}

// How far a value is beyond the limit by which it is judged, for the order.
double excess(const CheckRow& row) {
  const std::optional<double>& limit =
      row.verdict == CheckVerdict::kFail && row.limit.fail ? row.limit.fail : row.limit.check;
  if (!limit) return 0;
  return (row.value - *limit) / (std::abs(*limit) + row.kind->resolution);
}

void finish(CheckResult& result) {
  std::stable_sort(result.rows.begin(), result.rows.end(), [](const CheckRow& a, const CheckRow& b) {
    if (a.verdict != b.verdict) return a.verdict > b.verdict;
    return a.verdict != CheckVerdict::kPass && excess(a) > excess(b);
  });
  result.verdict = CheckVerdict::kPass;
  for (const CheckRow& row : result.rows) result.verdict = std::max(result.verdict, row.verdict);
}

}  // namespace

CheckRow& CheckRows::add(const char* id, double value, std::string text, std::string where) {
  const auto& kinds = check_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const CheckKind& k) { return std::string_view(k.id) == id; });
  CheckRow row;
  row.kind = &*kind;
  row.value = value;
  row.limit = profile_.limits.at(id);
  row.verdict = row.limit.judge(value);
  row.text = std::move(text);
  row.where = std::move(where);
  rows_.push_back(std::move(row));
  return rows_.back();
}

std::size_t CheckResult::count(CheckVerdict wanted) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const CheckRow& row) { return row.verdict == wanted; }));
}

const CheckRow* CheckResult::find(std::string_view id) const {
  for (const CheckRow& row : rows)
    if (row.kind->id == id) return &row;
  return nullptr;
}

CheckResult check(const Character& character, const CheckProfile& profile, const Progress& progress) {
  const CheckInput input = make_input(character, progress);
  CheckRows rows(profile);
  check_mesh(input, rows);
  const bool rigged = input.facts.skeleton.moving > 0;
  rows.add("skeleton.none", rigged ? 0 : 1, rigged ? "" : "No joint moves any vertex.");
  if (rigged) check_skeleton(input, rows);
  if (input.skin) {
    progress.step("weights", 0.2);
    check_weights(input, rows);
    check_weight_places(input, rows);
    check_range(input, rows, progress);
  }
  check_clips(input, rows, progress);
  CheckResult result{profile.name, CheckVerdict::kPass, std::move(rows.rows())};
  finish(result);
  return result;
}

void judge_by_baseline(CheckResult& result, const CheckResult& baseline) {
  for (CheckRow& row : result.rows) {
    const CheckRow* before = baseline.find(row.kind->id);
    if (!before) continue;
    row.before = before->value;
    const bool worse = row.value > before->value + std::max(0.1 * std::abs(before->value), row.kind->resolution);
    const bool counts = row.limit.check || row.limit.fail;
    if (worse && counts) row.verdict = CheckVerdict::kFail;
    else if (row.verdict == CheckVerdict::kFail) row.verdict = CheckVerdict::kCheck;
  }
  finish(result);
}

}  // namespace sinew::pipeline
