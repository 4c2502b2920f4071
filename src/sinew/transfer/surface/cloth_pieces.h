// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/geometry/mesh/weld.h"
#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// The mean of some rows, each scaled to the sum 1; rows without weight do not count. \pre at least one has weight.
std::vector<Influence> mean_row(const SkinWeights& rows, std::span<const Index> vertices);

/// Gives each shell that is much smaller than the body (6 % of its size) one row, so that it keeps its shape: the mean
/// of its rows, or one joint alone if that has two thirds of the mean. A target that consists of such shells alone
/// stays. Rows are those of the welded vertices; `count` receives the number of such shells. Linear.
SkinWeights rigid_pieces(const SkinWeights& rows, const Mesh& mesh, const geometry::Welding& welding, double body_size,
                         Index& count);

/// Connected vertices whose level is `kInpainted` or worse, the largest region first. \pre `result.weights` is final.
std::vector<UnmatchedRegion> unmatched_regions(const WeightTransfer& result, const Mesh& mesh,
                                               const geometry::Welding& welding);

}  // namespace sinew::transfer
