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

  friend bool operator==(const SkinWeights&, const SkinWeights&) = default;

 private:
  std::vector<std::uint32_t> offsets_ = {0};
  std::vector<Influence> influences_;
};

/// Keeps at most `count` influences of a row, without a jump where two weights change order: the largest weight that
/// does not stay is subtracted from all that do, and the rest is scaled to the sum 1. If that leaves nothing (more than
/// `count` equal weights), the first by joint stay, with equal weights. The result is sorted as `SkinWeights` requires.
/// Weights that are not positive numbers are removed. `count` 0 keeps all. This is the only algorithm that limits
/// influences; a plain removal of the smallest makes neighbouring vertices jump.
void cap_row(std::vector<Influence>& row, int count);

/// `cap_row` for all rows, in parallel. Empty rows stay empty.
SkinWeights capped_rows(const SkinWeights& weights, int count);

/// Weights with a limit on influences, and what the limit cost.
struct CapResult {
  SkinWeights weights;
  Index rows = 0;            ///< Rows that had more influences.
  double largest_share = 0;  ///< Largest share of a row that belonged to joints which were removed.
  double mean_share = 0;     ///< The same in the mean over the rows that had more.
};

/// Rows of more than `count` influences, by `cap_row`, keep their sums; all others stay as they are. `count` 0 keeps
/// all.
CapResult cap_influences(const SkinWeights& weights, int count);

/// The share of `before` that belongs to joints which `after` does not have.
double removed_share(std::span<const Influence> before, std::span<const Influence> after);

/// What is wrong with weights: joints out of range. Negative or non-finite values and bad sums are kept as the file
/// says them: a matter of health, not validity.
Findings validate(const SkinWeights& weights, Index joint_count);

}  // namespace sinew
