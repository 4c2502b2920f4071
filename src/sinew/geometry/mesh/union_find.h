// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <utility>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// Disjoint sets that can be joined; the lowest member represents each set. R. Tarjan, "Efficiency of a good but not
/// linear set union algorithm", 1975, with paths halved.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) {
    for (std::size_t i = 0; i < count; ++i) parent_[i] = static_cast<Index>(i);
  }

  Index find(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  /// Returns whether the two sets were separate.
  bool join(Index a, Index b) {
    a = find(a), b = find(b);
    if (a == b) return false;
    if (b < a) std::swap(a, b);
    parent_[b] = a;
    return true;
  }

 private:
  std::vector<Index> parent_;
};

}  // namespace sinew::geometry
