// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// The reference's mesh deformed so that its joints are at the positions of their partners in the target: with the
/// target's pose, lengths of bones and thickness of limbs.
///
/// First each bone is stretched to the length of its partner, and the skin around it by the ratio of the median
/// distances of both skins from the bone; this is blended linearly by the reference's own weights. Then the joints
/// rotate and translate to their partners, blended by dual quaternions (Kavan and others 2008). Joints without a
/// partner move with the nearest joint above that has one. Vertices without weights stay. n times the number of bones.
Mesh warped_mesh(const Reference& reference, const TransferBody& target, const Correspondence& correspondence);

}  // namespace sinew::transfer
