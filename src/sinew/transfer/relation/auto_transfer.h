// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/method.h"
#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::transfer {

/// The options of the method that is used between two bodies.
struct AutoTransferOptions : SkeletonAwareOptions {};

/// The method `auto`: looks at what the target is to the reference (`relate`) and uses `update`, `detail`, `garment` or
/// `skeleton`. A target that lies like a garment but whose joints are elsewhere is another body.
/// `WeightTransfer::choice` states which one and why; `metrics.relation` has what was measured.
TransferMethod auto_transfer_method();

}  // namespace sinew::transfer
