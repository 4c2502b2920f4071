// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

bool heavier(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
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

double SkinWeights::cap(Index count) {
  double worst = 0;
  SkinWeights result;
  result.reserve(row_count(), influences_.size());
  std::vector<Influence> kept;
  for (Index v = 0; v < row_count(); ++v) {
    const auto all = row(v);
    kept.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.size(), count)));
    double sum = 0, left = 0;
    for (std::size_t i = 0; i < all.size(); ++i) (i < kept.size() ? left : sum) += static_cast<double>(all[i].weight);
    sum += left;
    if (kept.size() < all.size() && left > 0) {
      worst = std::max(worst, (sum - left) / sum);
      for (Influence& influence : kept)
        influence.weight = static_cast<float>(static_cast<double>(influence.weight) * (sum / left));
    }
    result.add_row(kept);
  }
  *this = std::move(result);
  return worst;
}

Findings validate(const SkinWeights& weights, Index joint_count) {
  Findings found;
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v)) {
      if (influence.joint < joint_count) continue;
      found.push_back({"weights.joint", fmt::format("vertex {}", v),
                       fmt::format("It names joint {} of {}.", influence.joint, joint_count)});
      if (found.size() >= 100) return found;
    }
  return found;
}

}  // namespace sinew
