// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/core/joint_steps.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

bool heavier(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

bool is_share(const Influence& i) { return i.weight > 0 && std::isfinite(i.weight); }

double row_sum(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& i : row)
    if (is_share(i)) sum += static_cast<double>(i.weight);
  return sum;
}

}  // namespace

void SkinWeights::reserve(std::size_t rows, std::size_t influences) {
  offsets_.reserve(rows + 1);
  influences_.reserve(influences);
}

void SkinWeights::add_row(std::span<const Influence> influences) {
  const std::size_t begin = influences_.size();
  for (const Influence& influence : influences)
    if (influence.weight != 0) influences_.push_back(influence);
  // A NaN would break the order, so it goes last, where `validate` finds it.
  const auto first = influences_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto finite =
      std::partition(first, influences_.end(), [](const Influence& i) { return !std::isnan(i.weight); });
  std::sort(first, finite, heavier);
  offsets_.push_back(static_cast<std::uint32_t>(influences_.size()));
}

Index SkinWeights::max_influences() const {
  Index most = 0;
  for (Index v = 0; v < row_count(); ++v) most = std::max(most, static_cast<Index>(row(v).size()));
  return most;
}

SkinWeights SkinWeights::normalized() const {
  SkinWeights result;
  result.reserve(row_count(), influences_.size());
  std::vector<Influence> merged;
  for (Index v = 0; v < row_count(); ++v) {
    merged.clear();
    double sum = 0;
    for (const Influence& influence : row(v)) {
      if (!(influence.weight > 0) || !std::isfinite(influence.weight)) continue;
      sum += static_cast<double>(influence.weight);
      const auto same =
          std::find_if(merged.begin(), merged.end(), [&](const Influence& m) { return m.joint == influence.joint; });
      if (same == merged.end()) merged.push_back(influence);
      else same->weight += influence.weight;
    }
    if (sum > 0)
      for (Influence& influence : merged)
        influence.weight = static_cast<float>(static_cast<double>(influence.weight) / sum);
    result.add_row(merged);
  }
  return result;
}

// A row cannot have `count` joints where more are equal, so what is continuous is farther from the row than truncation
// there. On 36 rigs that were not looked at before (bench/cap_bench), limited to two joints (33 to three), as ratios to
// truncation: with steps rows change by 1.05 (1.10), edges jump by 1.03 (1.01), posed vertices move by 1.00 (0.98). A
// width of 0.25 without steps had 1.11, 1.04, 1.13 (1.20, 1.02, 1.13) on others. Joints chosen by weights smoothed
// along the surface jump less (0.99) and move more (1.04, 1.09), and such a choice is not continuous.
constexpr double kFadeWidth = 0.1;  // Of the largest removed weight.

namespace {

/// What fading leaves of a weight that is at least `taken`, the largest removed one.
double faded(double weight, double taken) { return weight * std::min(1.0, (weight - taken) / (kFadeWidth * taken)); }

/// Gives what the joints of a sorted row lose to the first `stay.size()`, which keep `stay`.
void give_lost(std::vector<Influence>& row, const std::vector<double>& stay, const JointSteps& steps) {
  std::vector<double> result = stay, share(stay.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double lost = static_cast<double>(row[i].weight) - (i < stay.size() ? stay[i] : 0);
    if (!(lost > 0)) continue;
    double sum = 0;
    for (std::size_t k = 0; k < stay.size(); ++k) {
      const double apart = std::max(1, steps.between(row[i].joint, row[k].joint));
      share[k] = stay[k] / (apart * apart);
      sum += share[k];
    }
    for (std::size_t k = 0; k < stay.size(); ++k) result[k] += lost * share[k] / sum;
  }
  for (std::size_t k = 0; k < stay.size(); ++k) row[k].weight = static_cast<float>(result[k]);
}

}  // namespace

void cap_row(std::vector<Influence>& row, int count, const JointSteps* steps) {
  std::erase_if(row, [](const Influence& i) { return !is_share(i); });
  std::sort(row.begin(), row.end(), heavier);
  const std::size_t kept = count > 0 ? static_cast<std::size_t>(count) : row.size();
  if (row.size() > kept) {
    const auto taken = static_cast<double>(row[kept].weight);
    const bool all_equal = row.front().weight == row[kept].weight;
    const auto left = [&](const Influence& i) {
      return all_equal ? static_cast<double>(i.weight) : faded(static_cast<double>(i.weight), taken);
    };
    if (steps) {
      std::vector<double> stay(kept);
      for (std::size_t k = 0; k < kept; ++k) stay[k] = left(row[k]);
      give_lost(row, stay, *steps);
      row.resize(kept);
    } else {
      row.resize(kept);
      for (Influence& i : row) i.weight = static_cast<float>(left(i));
    }
    std::erase_if(row, [](const Influence& i) { return !is_share(i); });
  }
  const double sum = row_sum(row);
  if (sum > 0)
    for (Influence& i : row) i.weight = static_cast<float>(static_cast<double>(i.weight) / sum);
  // Rounding may have made two weights equal.
  std::sort(row.begin(), row.end(), heavier);
}

SkinWeights capped_rows(const SkinWeights& weights, int count) {
  const std::size_t rows = weights.row_count(), longest = weights.max_influences();
  const std::size_t slots = count > 0 ? std::min(longest, static_cast<std::size_t>(count)) : longest;
  std::vector<Influence> kept(rows * slots);
  std::vector<std::uint32_t> sizes(rows, 0);
  parallel_blocks(rows, 2048, [&](std::size_t begin, std::size_t end) {
    std::vector<Influence> row;
    for (std::size_t v = begin; v < end; ++v) {
      const auto all = weights.row(static_cast<Index>(v));
      row.assign(all.begin(), all.end());
      cap_row(row, count);
      std::copy(row.begin(), row.end(), kept.begin() + static_cast<std::ptrdiff_t>(v * slots));
      sizes[v] = static_cast<std::uint32_t>(row.size());
    }
  });
  SkinWeights result;
  result.reserve(rows, std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  for (std::size_t v = 0; v < rows; ++v) result.add_row(std::span<const Influence>(kept.data() + v * slots, sizes[v]));
  return result;
}

CapResult cap_influences(const SkinWeights& weights, int count, const JointSteps* steps) {
  CapResult result;
  result.weights.reserve(weights.row_count(), weights.influence_count());
  std::vector<Influence> row;
  for (Index v = 0; v < weights.row_count(); ++v) {
    const auto before = weights.row(v);
    if (count <= 0 || before.size() <= static_cast<std::size_t>(count)) {
      result.weights.add_row(before);
      continue;
    }
    row.assign(before.begin(), before.end());
    cap_row(row, count, steps);
    const double sum = row_sum(before), share = removed_share(before, row);
    for (Influence& i : row) i.weight = static_cast<float>(static_cast<double>(i.weight) * sum);
    result.weights.add_row(row);
    ++result.rows;
    result.largest_share = std::max(result.largest_share, share);
    result.mean_share += share;
  }
  if (result.rows > 0) result.mean_share /= result.rows;
  return result;
}

double removed_share(std::span<const Influence> before, std::span<const Influence> after) {
  const double sum = row_sum(before);
  double removed = 0;
  for (const Influence& i : before)
    if (is_share(i) && std::none_of(after.begin(), after.end(), [&](const Influence& k) { return k.joint == i.joint; }))
      removed += static_cast<double>(i.weight) / sum;
  return removed;
}

Findings validate(const SkinWeights& weights, Index joint_count) {
  Findings found;
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v)) {
      if (influence.joint < joint_count) continue;
      found.push_back(
          {"weights.joint", fmt::format("vertex {}", v),
           fmt::format("It refers to joint {}, but there are only {} joints.", influence.joint, joint_count)});
      if (found.size() >= 100) return found;
    }
  return found;
}

}  // namespace sinew
