// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::geometry {

/// The render vertices that form one vertex of the surface. A glTF file splits a vertex at every seam of its texture
/// coordinates or normals; results are written back to every copy.
struct Welding {
  std::vector<Index> welded;  ///< Per vertex of the mesh: its welded vertex. Numbered in order of first appearance.
  std::vector<Index> first;   ///< Per welded vertex: the first vertex of the mesh that it stands for.

  Index count() const { return static_cast<Index>(first.size()); }
};

/// Joins vertices of one part whose positions are bit-equal (0 and −0 count as equal) and whose morph deltas are equal.
/// There is no tolerance: vertices that a modeller kept separate stay separate. The expected time is linear.
Welding weld(const Mesh& mesh);

}  // namespace sinew::geometry
