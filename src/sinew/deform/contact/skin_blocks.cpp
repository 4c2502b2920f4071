// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/skin_blocks.h"

#include <algorithm>
#include <cstddef>

namespace sinew::deform {
namespace {

constexpr Index kMostPoints = 16;  // Of a block.

}  // namespace

SkinBlocks::SkinBlocks(std::span<const Vec3f> points, std::span<const Index> owner) {
  for (Index i = 0; i < points.size(); ++i)
    if (owner[i] != kNone) order_.push_back(i);
  std::stable_sort(order_.begin(), order_.end(), [&](Index x, Index y) { return owner[x] < owner[y]; });
  for (Index begin = 0, end = 0; begin < order_.size(); begin = end) {
    while (end < order_.size() && owner[order_[end]] == owner[order_[begin]]) ++end;
    add(points, begin, end, owner[order_[begin]]);
  }
}

/// Halves a range until few points are left.
void SkinBlocks::add(std::span<const Vec3f> points, Index begin, Index end, Index owner) {
  const std::span<Index> range = std::span(order_).subspan(begin, end - begin);
  if (end - begin <= kMostPoints) {
    std::sort(range.begin(), range.end());
    blocks_.push_back({begin, end, owner});
    return;
  }
  Vec3f lower = points[range[0]], upper = lower;
  for (const Index i : range) lower = lower.cwiseMin(points[i]), upper = upper.cwiseMax(points[i]);
  int axis = 0;
  (upper - lower).maxCoeff(&axis);
  const Index half = (end - begin) / 2;
  std::nth_element(range.begin(), range.begin() + static_cast<std::ptrdiff_t>(half), range.end(),
                   [&](Index x, Index y) {
                     const float a = points[x][axis], b = points[y][axis];
                     return a != b ? a < b : x < y;
                   });
  add(points, begin, begin + half, owner);
  add(points, begin + half, end, owner);
}

}  // namespace sinew::deform
