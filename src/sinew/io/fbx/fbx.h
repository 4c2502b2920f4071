// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/io/asset.h"

namespace sinew::io {

/// Reads a binary FBX file of the versions 7.1 to 7.7: polygons and control points in the file's order, layers, nodes
/// with pivots and every mode of inheritance, skins, blend shapes, materials, and animation stacks. Text files and
/// other versions go to Assimp's worker. \throws Error if the file is damaged or has nothing in it.
Asset read_fbx(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

}  // namespace sinew::io
