// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::deform {

/// Points in the cells of a grid, for searches within a radius. Only cells with points take memory.
class PointGrid {
 public:
  PointGrid() = default;

  /// Of the points with the indices `which`, all finite. n log n.
  PointGrid(std::span<const Vec3f> points, std::span<const Index> which, float cell) : cell_(cell) {
    if (which.empty()) return;
    lower_ = points[which[0]];
    Vec3f upper = lower_;
    for (const Index i : which) lower_ = lower_.cwiseMin(points[i]), upper = upper.cwiseMax(points[i]);
    // Few enough cells for their numbers to fit.
    cell_ = std::max(cell_, 1e-6F * (upper - lower_).maxCoeff());
    if (!(cell_ > 0)) cell_ = 1;
    for (int k = 0; k < 3; ++k) counts_[k] = static_cast<int>((upper[k] - lower_[k]) / cell_) + 1;
    std::vector<std::pair<std::int64_t, Index>> keys;
    keys.reserve(which.size());
    for (const Index i : which) keys.push_back({key_of(cell_of(points[i])), i});
    std::sort(keys.begin(), keys.end());
    for (const auto& [key, i] : keys) {
      if (keys_.empty() || keys_.back() != key) {
        keys_.push_back(key);
        begins_.push_back(static_cast<Index>(items_.size()));
      }
      items_.push_back(i);
    }
    begins_.push_back(static_cast<Index>(items_.size()));
  }

  /// Visits at least all points within `radius` of p, in an order that depends on the points alone.
  template <class Visit>
  void for_near(const Vec3f& p, float radius, const Visit& visit) const {
    for_near_at(p, radius, [&](Index i) { visit(items_[i]); });
  }
  /// The same, with indices into `points`.
  template <class Visit>
  void for_near_at(const Vec3f& p, float radius, const Visit& visit) const {
    if (keys_.empty()) return;
    const Eigen::Array3i from = cell_of(p - Vec3f::Constant(radius)).max(0);
    const Eigen::Array3i to = cell_of(p + Vec3f::Constant(radius)).min(counts_ - 1);
    if (from[0] > to[0]) return;
    for (int z = from[2]; z <= to[2]; ++z)
      for (int y = from[1]; y <= to[1]; ++y) {
        const std::int64_t last = key_of({to[0], y, z});
        auto at = static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key_of({from[0], y, z})) -
                                           keys_.begin());
        for (; at < keys_.size() && keys_[at] <= last; ++at)
          for (Index i = begins_[at]; i < begins_[at + 1]; ++i) visit(i);
      }
  }

  /// All points, in the order of cells.
  std::span<const Index> points() const { return items_; }

  std::size_t cells() const { return keys_.size(); }
  /// The points of one of the cells that have any.
  std::span<const Index> points_of(std::size_t cell) const {
    return std::span(items_).subspan(begins_[cell], begins_[cell + 1] - begins_[cell]);
  }

 private:
  Eigen::Array3i cell_of(const Vec3f& p) const {
    return ((p - lower_).array() / cell_).floor().max(-1.0F).min(counts_.cast<float>()).cast<int>();
  }
  std::int64_t key_of(const Eigen::Array3i& c) const {
    return (std::int64_t{c[2]} * counts_[1] + c[1]) * counts_[0] + c[0];
  }

  float cell_ = 1;
  Vec3f lower_ = Vec3f::Zero();
  Eigen::Array3i counts_ = Eigen::Array3i::Zero();
  std::vector<std::int64_t> keys_;  ///< Of the cells, sorted.
  std::vector<Index> begins_, items_;
};

}  // namespace sinew::deform
