// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// One joint's weight on a vertex.
struct Influence {
  Index joint = kNone;  ///< Index into the skeleton.
  float weight = 0;

  friend bool operator==(const Influence&, const Influence&) = default;
};

/// Sparse weights: a row of influences per vertex, sorted by falling weight, equal weights by joint. Rows are kept as
/// the file says them; `normalized()` gives rows that sum to 1.
class SkinWeights {
 public:
  SkinWeights() = default;

  /// Appends the row of the next vertex. Zero weights are left out; the order is made here.
  void add_row(std::span<const Influence> influences);
  void add_row(std::initializer_list<Influence> influences) {
    add_row(std::span<const Influence>(influences.begin(), influences.size()));
  }
  void reserve(std::size_t rows, std::size_t influences);

  Index row_count() const { return static_cast<Index>(offsets_.size() - 1); }
  bool empty() const { return offsets_.size() <= 1; }
  std::span<const Influence> row(Index vertex) const {
    return {influences_.data() + offsets_[vertex], offsets_[vertex + 1] - offsets_[vertex]};
  }
  std::size_t influence_count() const { return influences_.size(); }
  Index max_influences() const;

  /// Rows that sum to 1 in float to within one rounding per influence: negative and non-finite weights dropped, double
  /// entries of one joint added up, the rest divided by the sum. Empty rows stay empty. Linear.
  SkinWeights normalized() const;

  /// Keeps the `count` largest influences of each row and scales them to the row's sum before. Returns the largest
  /// share of a row that was dropped.
  double cap(Index count);

  friend bool operator==(const SkinWeights&, const SkinWeights&) = default;

 private:
  std::vector<std::uint32_t> offsets_ = {0};
  std::vector<Influence> influences_;
};

/// What is wrong with weights: joints out of range. Negative or non-finite values and bad sums are kept as the file
/// says them: a matter of health, not validity.
Findings validate(const SkinWeights& weights, Index joint_count);

}  // namespace sinew
