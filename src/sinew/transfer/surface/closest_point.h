// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// Takes the weights of the nearest point of the reference's surface where both characters are, of faces all of whose
/// corners have weights. What copy tools do: poses and proportions are not considered. `confidence` falls with the
/// distance and with the angle between the normals, and is 0.5 where `transfer_inpaint` would no longer take the row.
/// n log n. \throws Error if the reference has no faces with weights; Cancelled.
WeightTransfer transfer_closest_point(const Reference& reference, const TransferBody& target,
                                      const TransferOptions& options, const Progress& progress = {});

/// The method `closest`; it has no options of its own.
TransferMethod closest_point_method();

}  // namespace sinew::transfer
