// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/transfer/choice/candidates.h"

namespace sinew::transfer {

/// Blends candidates, each by the error that is expected of it.
///
/// The expected error of `bind` is its error on the reference. That of another candidate is 0.3 times its error there,
/// plus 0.6 times its mean difference from `bind` on the target, plus 0.2 times its difference from the candidate that
/// is most alike: a transfer that differs from `bind` by no more than the artist's own rows do is trusted, one that
/// differs much more is not. Candidates count by exp(−error/0.04), and then per vertex the less the farther they are
/// from the blend around it. Blending flattens rows; weights are therefore raised to the power of 1.2. The factors were
/// found on the pairs of the development group of the experiment `transfer-pairs`.
///
/// Joints of the target that have no partner get the share that `bind` gives them. Helper joints get the share of the
/// joint they help that `skeleton` gives them.
///
/// `confidence` falls with the expected error and where `bind`, `skeleton` and `warp` disagree with the blend.
/// `metrics.candidates` has the share and the expected error of each. n times the number of candidates.
WeightTransfer blend_candidates(const TransferInput& input, const std::vector<TransferCandidate>& candidates,
                                const TransferOptions& common, const Progress& progress);

}  // namespace sinew::transfer
