// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>

#include "sinew/io/asset.h"

namespace sinew::io {

/// Writes a Wavefront OBJ file.
///
/// A character that was read from OBJ is written as its own text: byte for byte, or with other numbers in the `v` lines
/// (and in the `vn` lines whose normals changed) if `changes.positions` says so. In another folder the material
/// libraries and textures are copied beside it.
///
/// Any other character is written anew: an `o` for each part, vertex i of the mesh as the i-th `v`, polygons, colours,
/// materials in NAME.mtl and pictures in NAME_picture.png beside it. Positions are those of the mesh in model space.
///
/// No existing file with other content is replaced apart from the target and what an earlier run wrote beside it; a
/// copy takes another name instead. Finding obj.dropped says what OBJ cannot hold, obj.missing_texture names pictures
/// that are not there.
void write_obj(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options, AtomicFiles& files,
               Report& report);

}  // namespace sinew::io
