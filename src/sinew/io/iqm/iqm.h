// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Inter-Quake Model, version 2: a small binary format of games with skeleton, weights and clips. Read by our own code,
/// as Assimp takes only the mesh of it; the file's vertex order is kept. The format does not say its unit and axes.

#include "sinew/io/asset.h"

namespace sinew::io {

/// \throws Error if the file is not IQM 2 or anything in it points outside. Linear in the file.
Asset read_iqm(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

}  // namespace sinew::io
