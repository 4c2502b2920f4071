// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Pairs of joints by where they are in chains.

#include <functional>
#include <utility>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::transfer {

/// A row of joints from one place to another, by their share of the way along it.
struct JointRow {
  std::vector<Index> joints;
  std::vector<double> share;  ///< Rising, 0 to 1.
};

/// The row of places `joints` between a first and a last place.
JointRow joint_row(std::vector<Index> joints, const std::vector<Vec3>& places, const Vec3& first, const Vec3& last);

/// Pairs of joints of two rows, both rising: one to one if they have as many, else as many pairs as can be, no farther
/// than a third of the way apart, with the least sum of distances. Pairs that `may_pair` refuses are left out. Product
/// of the counts.
std::vector<std::pair<Index, Index>> pair_rows(const JointRow& a, const JointRow& b,
                                               const std::function<bool(Index, Index)>& may_pair);

}  // namespace sinew::transfer
