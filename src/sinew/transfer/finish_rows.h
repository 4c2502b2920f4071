// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/geometry/mesh/weld.h"
#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// The last step of every method: smooths rows of welded vertices (rounds of w ← 0.8 w + 0.2 mean of the ring, over all
/// vertices), caps them, gives every vertex of the mesh its row in `result.weights`, and counts `result.levels`.
void finish_rows(WeightTransfer& result, const SkinWeights& welded_rows, const Mesh& mesh,
                 const geometry::Welding& welding, const TransferOptions& options);

}  // namespace sinew::transfer
