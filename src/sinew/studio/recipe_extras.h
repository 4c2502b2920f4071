// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A recipe inside the file that it made: `asset.extras.sinew_recipe` of a GLB or VRM file.

#include "sinew/core/json.h"
#include "sinew/io/asset.h"

namespace sinew::studio {

/// The same file with the recipe in it. \throws Error if the bytes are no GLB file.
io::Bytes with_recipe(io::Bytes glb, const Json& recipe);

/// The recipe inside a file that was read; null if there is none.
Json recipe_of(const io::Asset& asset);

}  // namespace sinew::studio
