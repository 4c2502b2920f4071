// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <utility>
#include <vector>

#include "sinew/io/asset.h"

namespace sinew::io {

/// Rotates what the extensions of a glTF document state in the axes of nodes whose axes were rotated, each by a
/// rotation in its own frame: colliders of spring bones and the offsets of the eyes, of VRM 0 and VRM 1. The nodes
/// themselves are written with the skeleton. Other documents stay as they are.
void rotate_nodes(Asset& asset, const std::vector<std::pair<Index, Quat>>& turns);

}  // namespace sinew::io
