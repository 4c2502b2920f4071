// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/io/asset.h"

namespace sinew::io {

/// The prepared data that a glTF file holds in `extras.sinew.prepared` (docs/formats/gltf.md). Pieces that are damaged
/// are left out, with a finding. `SaveOptions::prepared` stores such pieces.
std::vector<PreparedPiece> stored_prepared(const Asset& asset, Findings& findings);

}  // namespace sinew::io
