// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/character.h"
#include "sinew/pipeline/transfer.h"

namespace sinew::pipeline {

/// The reference together with a target that lies on it: the target's parts follow those of the reference, on the
/// reference's skin with the most vertices, with the rows of the transfer. The reference is in its bind pose and keeps
/// its joints, clips and rows. \pre the result is that of a transfer from this reference. \throws Error if the target
/// has joints of its own, or its joints had to be fitted, because its surface does not share the reference's position.
Character merge_with_reference(const TransferReference& reference, const TransferResult& result);

}  // namespace sinew::pipeline
