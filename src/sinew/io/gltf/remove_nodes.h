// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/io/asset.h"

namespace sinew::io {

/// Removes the nodes of joints that are gone from the glTF document of an asset: from the scene, from animations, skins
/// and the extensions that are known. Nodes below them that stay are attached to the node above, at the same place.
/// What extensions lose is reported. An asset without a glTF document stays as it is. \throws Error if a node has a
/// mesh or a camera.
void remove_nodes(Asset& asset, const std::vector<Index>& removed, Report& report);

}  // namespace sinew::io
