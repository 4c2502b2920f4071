// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>

#include "sinew/binding/auto/layers_rows.h"

namespace sinew::binding {

/// What one method says of a vertex, and how far it is believed.
struct RowVote {
  std::span<const Influence> row;  ///< Sum 1.
  double trust = 0;                ///< At least 0; relative to that of the others.
};

/// The row that several methods agree on: for each joint the mean of the middle 0.4 of their weights, each counted by
/// its trust, then scaled to sum 1. Of three methods of about equal trust that is close to the median: one that is
/// wrong somewhere does not move the result there, as it would move a mean. Where less than half of the weight is left,
/// because all methods disagree, the result passes over to the mean, all of it at 0.2.
///
/// The result changes continuously with rows and trust, and a method whose trust goes to 0 fades out; interpolating
/// between the neighbours of the median was rejected, because it jumps where two weights swap ranks. Votes without
/// trust do not count; without any the row is empty. \pre at most eight votes.
WeightRow consensus(std::span<const RowVote> votes);

}  // namespace sinew::binding
