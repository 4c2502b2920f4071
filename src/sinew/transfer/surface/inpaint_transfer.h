// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// R. Abdrashitov et al., "Robust skin weights transfer via weight inpainting", 2023: where the nearest point is near
/// (0.05 of the target's size) and faces the same way (30°) its weights are taken, and spread smoothly to the rest (see
/// `inpaint`); then 10 rounds of smoothing of what was spread and of what is near it along edges. Open shells more of
/// whose vertices match with their faces flipped are treated as flipped: single-sided cloth. \throws Error if nothing
/// matches; Cancelled.
WeightTransfer transfer_inpaint(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                                const Progress& progress = {});

/// The method `inpaint`; it has no options of its own.
TransferMethod inpaint_method();

}  // namespace sinew::transfer
