// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Formats that Assimp reads: FBX, COLLADA, STL and a number of older ones.
///
/// Assimp runs in a process of its own with limits of time and memory: a file on which it crashes or hangs costs an
/// Error and no more. Polygons stay polygons. Corners that Assimp gives as vertices of their own are joined again where
/// position, weights and morphs are bit for bit the same inside one mesh node, so the order of vertices is the order in
/// which Assimp meets them; a finding "vertex_order" says so.

#include "sinew/io/asset.h"
#include "sinew/io/assimp/worker.h"

namespace sinew::io {

/// \throws Error if Assimp refuses the file, crashes, takes more than the limits, or if there is nothing in it.
Asset read_assimp(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

/// The same within other limits.
Asset read_assimp(const std::filesystem::path& path, const Bytes& bytes, const WorkerLimits& limits,
                  const Progress& progress);

/// Reads one file for another process (`set_worker_program`) and ends.
[[noreturn]] void serve_reader();

}  // namespace sinew::io
