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

/// Which small shells keep their shape. The first two are shares of the body's size.
struct RigidRules {
  double tiny = 0.02;   ///< Shells below it, always.
  double small = 0.06;  ///< Shells below it, unless their rows differ: fingers may be shells of their own.
  double alike = 0.25;  ///< The most that rows may differ from their mean: half the sum of differences, on average.
};

/// Gives each such shell one row, so that it keeps its shape: the mean of its rows, or one joint alone if that has two
/// thirds of the mean. A target that consists of small shells alone stays. Rows are those of the welded vertices;
/// `count` receives the number of such shells. Linear.
SkinWeights rigid_pieces(const SkinWeights& rows, const Mesh& mesh, const geometry::Welding& welding, double body_size,
                         Index& count, const RigidRules& rules = {});

/// Connected vertices whose level is `kInpainted` or worse, the largest region first. \pre `result.weights` is final.
std::vector<UnmatchedRegion> unmatched_regions(const WeightTransfer& result, const Mesh& mesh,
                                               const geometry::Welding& welding);

}  // namespace sinew::transfer
