// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// Sets of faces that are connected through shared vertices.
struct Components {
  Index count = 0;
  std::vector<Index> of_face;    ///< Numbered in order of the first face; kNone for a face without corners.
  std::vector<Index> of_vertex;  ///< Per vertex of the mesh; kNone for one that no face uses.
  std::vector<Index> faces;      ///< Number of faces per component.
};

/// Union-find over vertices: nearly linear. With a welding, copies of a welded vertex are one.
/// \pre the mesh is valid and the welding is its own.
Components components(const Mesh& mesh, const Welding* welding = nullptr);

}  // namespace sinew::geometry
