// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>

#include "sinew/io/asset.h"

namespace sinew::io {

/// Reads a Wavefront OBJ file, with the material libraries and textures it names. One pass, linear.
///
/// Every `v` is a vertex, in order, used or not; polygons keep their corners. The file is one part, unless its objects
/// (`o`) use vertices that follow each other without overlap: then each object is a part with its name. Colours after
/// the coordinates are taken as sRGB. `Asset::document` is an ObjDocument; `Asset::files` gets the files beside the OBJ
/// file.
///
/// Findings: obj.missing_material_file, obj.missing_material, obj.missing_texture, obj.texture_type, obj.alpha_texture,
/// obj.short_face, obj.not_read, obj.unknown_statement, and those of `parse_mtl`.
/// \throws Error naming the line for a number that is none or not finite and for an index of a vertex, normal or
/// texture coordinate that is not there; and if there is no vertex at all.
Asset read_obj(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

}  // namespace sinew::io
