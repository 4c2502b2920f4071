// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/io/gltf/document.h"

namespace sinew::io::gltf {

/// Decodes KHR_draco_mesh_compression of a primitive and gives the document the elements of its accessors, in place of
/// those of the primitive decoded before. \throws Error if the data is damaged.
void decode_draco(GltfDocument& document, const Json& primitive, const std::string& where);

}  // namespace sinew::io::gltf
