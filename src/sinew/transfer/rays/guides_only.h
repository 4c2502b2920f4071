// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/method.h"
#include "sinew/transfer/rays/guides.h"

namespace sinew::transfer {

/// The target's guide weights themselves: helpers get nothing. \throws as `make_guide`.
WeightTransfer transfer_guides(const TransferBody& target, const Correspondence& correspondence,
                               const GuideOptions& own = {}, const TransferOptions& options = {},
                               const Progress& progress = {});

/// The method `guides`, with `GuideOptions`.
TransferMethod guides_method();

}  // namespace sinew::transfer
