// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>

#include "sinew/io/asset.h"

namespace sinew::io {

/// Reads an Object File Format mesh: OFF and its kinds with colours (C), normals (N) and texture coordinates (ST) per
/// vertex. Comments may stand anywhere and the counts on the first line. Colours of faces are passed over. One pass,
/// linear.
///
/// Colours above 1 are bytes and taken as sRGB; others are linear already. Faces of fewer than three corners are left
/// out (finding off.short_face). Counts are not believed beyond what the file's bytes can hold. \throws Error naming
/// the line for what cannot be read, for a vertex that is not there and for a file that ends early; and for binary
/// files, four-dimensional ones and those without vertices.
Asset read_off(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

}  // namespace sinew::io
