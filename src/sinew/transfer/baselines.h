// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Ways to transfer weights that know nothing of skeletons, or nothing but them; for comparison, and for clothes over
/// the very body they were made for. All look at `max_influences` and `smoothing` (rounds of w ← 0.8 w + 0.2 mean of
/// the ring, over all vertices, before the cap).

#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// The nearest point of the reference's surface where both lie, of faces all of whose corners have weights. What copy
/// tools do: no handling of pose or proportion. `confidence` falls with the distance and with the angle between the
/// normals, and is 0.5 where `transfer_inpaint` would no longer take the row. n log n. \throws Error if the reference
/// has no faces with weights; Cancelled.
Transferred transfer_closest_point(const Reference& reference, const Side& target, const Correspondence& correspondence,
                                   const TransferOptions& options, const Progress& progress);

/// R. Abdrashitov et al., "Robust skin weights transfer via weight inpainting", 2023: where the nearest point is near
/// (0.05 of the target's size) and faces the same way (30°) its weights are taken, and spread smoothly to the rest
/// (card, B2; see `inpaint`); then 10 rounds of smoothing of what was spread and what lies near it along edges. Open
/// shells more of whose vertices match with their faces turned round are taken so: single-sided cloth. \throws Error if
/// nothing matches; Cancelled.
Transferred transfer_inpaint(const Reference& reference, const Side& target, const Correspondence& correspondence,
                             const TransferOptions& options, const Progress& progress);

/// The target's guide weights themselves: helpers get nothing (card, B3). Looks at `resolution` too. \throws as
/// `make_guide`.
Transferred transfer_guides(const Reference& reference, const Side& target, const Correspondence& correspondence,
                            const TransferOptions& options, const Progress& progress);

}  // namespace sinew::transfer
