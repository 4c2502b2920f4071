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

/// The weight of one joint for a vertex.
struct Influence {
  Index joint = kNone;  ///< Index into the skeleton.
  float weight = 0;

  friend bool operator==(const Influence&, const Influence&) = default;
};

/// Sparse weights: one row of influences per vertex, sorted by decreasing weight and, for equal weights, by joint. Rows
/// are kept as stored in the file; `normalized()` returns rows that sum to 1.
class SkinWeights {
 public:
  SkinWeights() = default;

  /// Appends the row of the next vertex. It omits zero weights and sorts the others.
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

  /// Returns rows that sum to 1 in float, to within one rounding per influence. Negative and non-finite weights are
  /// dropped, duplicate entries of a joint are added up, and all are divided by the sum. Empty rows stay empty. The
  /// cost is linear.
  SkinWeights normalized() const;

  friend bool operator==(const SkinWeights&, const SkinWeights&) = default;

 private:
  std::vector<std::uint32_t> offsets_ = {0};
  std::vector<Influence> influences_;
};

class JointSteps;

/// Keeps at most `count` influences of a row, without a jump where two weights change order: what remains fades from
/// its weight to 0 between 1.1 and 1 times the largest removed weight, and the row is scaled to the sum 1. With
/// `steps`, what a joint loses goes to the joints that remain by their weights over the square of the steps to it: to a
/// finger's hand and not to the head. If fading leaves nothing (more than `count` equal weights), the first joints
/// remain with equal weights. The result is sorted as `SkinWeights` requires. Weights that are not positive numbers are
/// removed. `count` 0 keeps all. This is the only algorithm that limits influences; simply removing the smallest would
/// make neighbouring vertices jump.
void cap_row(std::vector<Influence>& row, int count, const JointSteps* steps = nullptr);

/// Applies `cap_row` to all rows, in parallel. Empty rows stay empty.
SkinWeights capped_rows(const SkinWeights& weights, int count);

/// Weights with limited influences, and the effect of the limit.
struct CapResult {
  SkinWeights weights;
  Index rows = 0;            ///< Rows that had more influences.
  double largest_share = 0;  ///< Largest share of a row that belonged to joints which were removed.
  double mean_share = 0;     ///< Mean of that share over the rows that had more influences.
};

/// Limits rows of more than `count` influences with `cap_row` and preserves their sums. All other rows are unchanged.
/// A `count` of 0 keeps all influences.
CapResult cap_influences(const SkinWeights& weights, int count, const JointSteps* steps = nullptr);

/// Returns the share of `before` that belongs to joints missing from `after`.
double removed_share(std::span<const Influence> before, std::span<const Influence> after);

/// Returns the problems of weights: joints out of range. Negative or non-finite values and wrong sums are not reported,
/// because weights are kept as stored in the file; they are a matter of health, not of validity.
Findings validate(const SkinWeights& weights, Index joint_count);

}  // namespace sinew
