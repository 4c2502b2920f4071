// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// Deforms the reference's mesh to the target's pose and proportions (`warped_mesh`) and takes the rows of the nearest
/// points there. n log n. \throws Error if the reference has no faces with weights; Cancelled.
WeightTransfer transfer_by_warp(const Reference& reference, const TransferBody& target,
                                const Correspondence& correspondence, const TransferOptions& options = {},
                                const Progress& progress = {});

TransferMethod warp_method();

}  // namespace sinew::transfer
