// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>

#include "sinew/io/asset.h"

namespace sinew::io {

/// Reads a Stanford PLY mesh: text, binary little- and big-endian, properties in any order. One pass, linear.
///
/// Of a vertex x y z, nx ny nz, red green blue alpha (whole numbers are sRGB, floats linear) and s t, u v or texture_u
/// texture_v are read; of a face vertex_indices and texcoord, a pair per corner; `tristrips` become triangles. Other
/// elements and properties are passed over; finding ply.not_read names the elements, ply.short_face counts faces
/// of fewer than three corners, which are left out. Counts are not believed beyond what the file's bytes can hold.
/// \throws Error naming the line (of a binary file: the element and its number) for what cannot be read, numbers that
/// are not finite and vertices that are not there; and if there are no vertices.
Asset read_ply(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

}  // namespace sinew::io
