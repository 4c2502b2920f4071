// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/rigging/anatomy/pieces.h"

namespace sinew::rigging {

/// Finds the shells of a mesh and describes them; the kinds are all `kBody`. Up to 400 shells, the largest ones, are
/// described in full. The others have an area, a centre and extents alone. The plane is set if the mesh is symmetric.
/// \throws Cancelled.
PieceSorting describe_pieces(const Mesh& mesh, const Progress& progress);

}  // namespace sinew::rigging
