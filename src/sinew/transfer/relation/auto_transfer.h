// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/method.h"
#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::transfer {

/// The options of the rays, which are one of the methods between two bodies.
struct AutoTransferOptions : SkeletonAwareOptions {};

/// The method `auto`: looks at what the target is to the reference (`relate`) and uses `update`, `detail` or `garment`;
/// for another body it blends `bind`, `skeleton`, `warp`, `closest` and `inpaint` (`blend_candidates`). A target that
/// lies like a garment but whose joints are elsewhere is another body. `WeightTransfer::choice` states the methods and
/// why; `metrics.relation` has what was measured.
TransferMethod auto_transfer_method();

}  // namespace sinew::transfer
