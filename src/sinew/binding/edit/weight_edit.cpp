// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_edit.h"

#include <algorithm>
#include <cmath>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

using EditRow = std::vector<Influence>;

double sum_of(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& influence : row) sum += static_cast<double>(influence.weight);
  return sum;
}

// Positive numbers only, each joint once.
void tidy(EditRow& row) {
  std::erase_if(row, [](const Influence& i) { return !(i.weight > 0) || !std::isfinite(i.weight); });
  for (std::size_t i = 0; i < row.size(); ++i)
    for (std::size_t k = row.size() - 1; k > i; --k)
      if (row[k].joint == row[i].joint) {
        row[i].weight += row[k].weight;
        row.erase(row.begin() + static_cast<std::ptrdiff_t>(k));
      }
}

void scale_row(EditRow& row, double sum) {
  const double now = sum_of(row);
  if (!(now > 0)) return;
  for (Influence& influence : row)
    influence.weight = static_cast<float>(static_cast<double>(influence.weight) * (sum / now));
}

SkinWeights collected(const std::vector<EditRow>& rows) {
  std::size_t count = 0;
  for (const EditRow& row : rows) count += row.size();
  SkinWeights weights;
  weights.reserve(rows.size(), count);
  for (const EditRow& row : rows) weights.add_row(row);
  return weights;
}

// Calls edit(vertex, row) for the tidy rows that may change.
template <class Edit>
SkinWeights each_row(const SkinWeights& weights, const EditScope& scope, Edit&& edit) {
  std::vector<EditRow> rows(weights.row_count());
  parallel_for(rows.size(), [&](std::size_t v) {
    const auto row = weights.row(static_cast<Index>(v));
    rows[v].assign(row.begin(), row.end());
    if (!scope.editable[v] || is_missing_row(row)) return;
    tidy(rows[v]);
    edit(static_cast<Index>(v), rows[v]);
  });
  return collected(rows);
}

}  // namespace

EditScope edit_scope(const Rig& rig, const std::vector<Index>& locked) {
  EditScope scope;
  scope.locked.assign(rig.skeleton.size(), 0);
  for (const Index joint : locked) scope.locked[joint] = 1;
  scope.any_locked = !locked.empty();
  scope.editable.assign(rig.mesh.vertex_count(), 0);
  scope.part.assign(rig.mesh.vertex_count(), 0);
  scope.listed.resize(rig.mesh.parts.size());
  for (std::size_t p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const auto first = static_cast<std::ptrdiff_t>(part.first_vertex);
    std::fill_n(scope.part.begin() + first, part.vertex_count, static_cast<Index>(p));
    scope.listed[p].assign(rig.skeleton.size(), 0);
    if (part.skin == kNone) continue;
    std::fill_n(scope.editable.begin() + first, part.vertex_count, char{1});
    for (const Index joint : rig.skins[part.skin].joints) scope.listed[p][joint] = 1;
  }
  return scope;
}

void restore_locked(std::span<const Influence> before, std::vector<Influence>& row, const std::vector<char>& locked) {
  EditRow fixed, old_free;
  if (!is_missing_row(before))
    for (const Influence& influence : before) {
      if (!(influence.weight > 0)) continue;
      (locked[influence.joint] ? fixed : old_free).push_back(influence);
    }
  tidy(fixed);
  tidy(old_free);
  std::erase_if(row, [&](const Influence& i) { return locked[i.joint] != 0; });
  tidy(row);
  if (row.empty()) row = old_free;
  const double share = sum_of(fixed);
  if (row.empty() || share >= 1) {
    // Nobody can make up for it: the locked ones share the row among themselves.
    if (share > 0) row = fixed;
    scale_row(row, 1);
    return;
  }
  scale_row(row, 1 - share);
  row.insert(row.end(), fixed.begin(), fixed.end());
}

SkinWeights scaled_to_one(const SkinWeights& weights, const EditScope& scope) {
  std::vector<EditRow> rows(weights.row_count());
  parallel_for(rows.size(), [&](std::size_t v) {
    const auto row = weights.row(static_cast<Index>(v));
    if (is_missing_row(row)) return;
    rows[v].assign(row.begin(), row.end());
    tidy(rows[v]);
    if (scope.any_locked && scope.editable[v]) restore_locked(row, rows[v], scope.locked);
    else scale_row(rows[v], 1);
  });
  return collected(rows);
}

SkinWeights pruned(const SkinWeights& weights, double threshold, const EditScope& scope) {
  return each_row(weights, scope, [&](Index v, EditRow& row) {
    const double least = threshold * sum_of(row);
    const auto largest = std::max_element(row.begin(), row.end(), [](const Influence& a, const Influence& b) {
      return a.weight != b.weight ? a.weight < b.weight : a.joint > b.joint;
    });
    const Index keep = largest->joint;
    std::erase_if(row, [&](const Influence& i) {
      return i.joint != keep && !scope.locked[i.joint] && static_cast<double>(i.weight) < least;
    });
    if (scope.any_locked) restore_locked(weights.row(v), row, scope.locked);
    else scale_row(row, 1);
  });
}

SkinWeights smoothed_along(const SkinWeights& weights, const EditSurface& surface, int rounds, const EditScope& scope) {
  const SkinWeights before = welded_rows(surface, weights);
  SkinWeights rows = before;
  if (!scope.any_locked) {
    rows = smoothed(rows, surface.rings, rounds);
  } else {
    for (int round = 0; round < rounds; ++round) {
      const SkinWeights next = smoothed(rows, surface.rings, 1);
      std::vector<EditRow> restored(rows.row_count());
      parallel_for(restored.size(), [&](std::size_t w) {
        const auto row = next.row(static_cast<Index>(w));
        restored[w].assign(row.begin(), row.end());
        if (!row.empty()) restore_locked(before.row(static_cast<Index>(w)), restored[w], scope.locked);
      });
      rows = collected(restored);
    }
  }
  // Parts do not mix, so rows of rigid ones came out as they were, but for rounding.
  std::vector<EditRow> kept(rows.row_count());
  for (Index w = 0; w < rows.row_count(); ++w) {
    const auto row = scope.editable[surface.source[w]] ? rows.row(w) : before.row(w);
    kept[w].assign(row.begin(), row.end());
  }
  return edited_rows(surface, weights, before, collected(kept));
}

UnlockedCap cap_unlocked(const SkinWeights& weights, int count, const EditScope& scope, const JointSteps& steps) {
  UnlockedCap all;
  CapResult& result = all.cap;
  std::vector<double> removed(weights.row_count(), 0.0);
  std::vector<char> cut(weights.row_count(), 0), filled(weights.row_count(), 0);
  result.weights = each_row(weights, scope, [&](Index v, EditRow& row) {
    if (row.size() <= static_cast<std::size_t>(count)) return;
    const EditRow before = row;
    const auto is_locked = [&](const Influence& i) { return scope.locked[i.joint] != 0; };
    EditRow locked_ones = before;
    std::erase_if(locked_ones, [&](const Influence& i) { return !is_locked(i); });
    std::erase_if(row, is_locked);
    const int room = count - static_cast<int>(locked_ones.size());
    if (room <= 0 && !row.empty()) filled[v] = 1;
    if (room <= 0) row.clear();
    else cap_row(row, room, &steps);
    if (!locked_ones.empty()) {
      const double share = sum_of(before);
      // Where there is no room beside the locked ones, these take the whole row.
      scale_row(row, share - sum_of(locked_ones));
      if (row.empty()) scale_row(locked_ones, share);
      row.insert(row.end(), locked_ones.begin(), locked_ones.end());
    }
    cut[v] = 1;
    removed[v] = removed_share(before, row);
  });
  for (Index v = 0; v < weights.row_count(); ++v) {
    result.rows += cut[v] != 0 ? 1 : 0;
    all.filled += filled[v] != 0 ? 1 : 0;
    result.largest_share = std::max(result.largest_share, removed[v]);
    result.mean_share += removed[v];
  }
  if (result.rows > 0) result.mean_share /= result.rows;
  return all;
}

}  // namespace sinew::binding
