// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/geometry/mesh/subdivide.h"
#include "sinew/shapes/surface/cage.h"

namespace sinew::shapes {

/// A cage cut finely, its vertices on (nearly) the limit surface.
struct FineGrid {
  std::vector<Vec3> positions;
  std::vector<std::array<Index, 4>> quads;
  geometry::Stencils stencils;  ///< Over the vertices of the cage.
};

/// Cuts every quad of the cage into `cuts`×`cuts`, any number: Catmull–Clark far enough, then samples of it, bilinear
/// between its points where `cuts` is not a power of two. The vertices of the cage come first, then those of its edges,
/// then the rest.
FineGrid refine(const Cage& cage, Index cuts);

}  // namespace sinew::shapes
