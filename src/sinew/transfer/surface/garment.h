// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// Weights for clothes over the very body that they were made for.
///
/// A vertex of cloth belongs to the point of the body from which its own normal leaves the body: there, and not at the
/// nearest point, which in armpits, between legs and under the chin is often on another limb. A vertex is *matched* if
/// both agree: the normal at the nearest point is within 20° of its own, the nearest point lies within 15° of the
/// direction against the normal (30° near the surface, where small differences turn that direction), and not farther
/// than a tenth of the reference's size. Its row comes from the point that the ray against the normal meets, which must
/// agree with the nearest point unless the cloth is tight. The published test (30°, a share of the target's own size)
/// takes more vertices with five times the error, and none at all of a loose vest. On a body whose edges are long
/// compared with the distance, angles may differ by as much as the body's own normals do within a triangle.
///
/// What does not match is spread over the surface (`inpaint`). The inner layer of thick cloth takes the rows of the
/// outer one. Open shells that match better with their faces turned round are treated as such. Shells much smaller than
/// the body, such as buttons and buckles, keep their shape unless their rows differ, as those of a finger do: they have
/// one row, that of one joint if two thirds of it are one joint's. Vertices of separate parts at one position have
/// equal rows.
///
/// n log n and `inpaint` of what does not match; no joints are looked at, so positions and poses must be the same.
/// \throws Error if nothing matches; Cancelled.
WeightTransfer transfer_garment(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                                const Progress& progress = {});

/// Weights for an edited mesh of the same character. Vertices at the position of one of the reference's (see
/// `same_vertices`) keep its row to the bit, as `Reference::stored` has it if present, unless `max_influences` is set
/// and is exceeded. The rest is matched and spread as clothes are.
WeightTransfer transfer_update(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                               const Progress& progress = {});

/// The methods `garment` and `update`; they have no options of their own.
TransferMethod garment_method();
TransferMethod update_method();

}  // namespace sinew::transfer
