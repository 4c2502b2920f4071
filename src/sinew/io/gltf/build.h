// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/io/gltf/editor.h"

namespace sinew::io::gltf {

/// A document for a character that did not come from glTF: its parts, layers, morphs, materials and pictures; no
/// skeleton yet. Vertices are split where corners of a vertex differ in texture coordinate or normal. Polygons are
/// encoded as FB_ngon_encoding says; `report` tells of those that could not be.
std::shared_ptr<GltfDocument> build_document(const Asset& asset, Report& report);

}  // namespace sinew::io::gltf
