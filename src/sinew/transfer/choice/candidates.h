// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Several ways to give one target weights, each tried on the reference as well, whose true rows are known.

#include <span>
#include <string>
#include <vector>

#include "sinew/transfer/method.h"
#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::transfer {

/// One way to give a target weights.
struct TransferCandidate {
  std::string id;  ///< Of a transfer method, or `kBoundAnew`.
  /// For `kBoundAnew`, rows are of joints of the target.
  WeightTransfer made;
  /// Half the sum of differences from the reference's own rows where the same way is tried on it; mean over its
  /// vertices.
  double reference_error = 0;
};

/// The candidate that uses no reference: the binder `auto`.
inline constexpr const char* kBoundAnew = "bind";

/// The candidates `bind`, `skeleton`, `warp`, `closest` and `inpaint`, in this order; those that fail are left out.
///
/// For `bind`, the target and the reference are bound anew. For the others, the transferred rows are transferred back
/// from the target to the reference in the same way, and what returns is compared with what was sent. \throws
/// Cancelled; Error if no candidate is left.
std::vector<TransferCandidate> transfer_candidates(const TransferInput& input, const SkeletonAwareOptions& skeleton,
                                                   const TransferOptions& common, const Progress& progress);

/// Half the sum of absolute differences of two rows, each of sum 1.
double half_difference(std::span<const Influence> a, std::span<const Influence> b);

}  // namespace sinew::transfer
