// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// glTF 2.0, GLB and VRM: our own reader and writer. The document is kept and edited, never rebuilt: what Sinew does
/// not understand comes out as it came in. Specification: Khronos glTF 2.0.

#include "sinew/io/asset.h"

namespace sinew::io {

/// \throws Error if the file is damaged or needs an extension that is not understood.
Asset read_gltf(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

/// Writes .glb, .vrm or .gltf. A character that came from glTF goes back into its own document; any other gets a new
/// one.
void write_gltf(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options, AtomicFiles& files,
                Report& report);

}  // namespace sinew::io
