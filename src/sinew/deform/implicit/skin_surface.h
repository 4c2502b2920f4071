// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::deform {

/// The welded surface of a rig at binding, in an order that depends on positions alone: everything that is computed
/// from it is the same however the vertices of the file are ordered.
struct SkinSurface {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;                    ///< Outwards, of unit length; zero where faces cancel out.
  std::vector<std::array<Index, 3>> triangles;  ///< Facing outwards, sorted.
  geometry::Lists rings;                        ///< Neighbours, sorted.
  geometry::Lists copies;                       ///< The vertices of the mesh that each stands for.
  std::vector<Index> shell;                     ///< Connected piece of each vertex; kNone if it has no face.
  Index shells = 0;
  std::vector<std::vector<Influence>> rows;  ///< Weights, sum 1; rigid parts follow their joint; empty: unmoved.

  Index size() const { return static_cast<Index>(positions.size()); }
};

/// About n log n. \throws Error as `geometry::solid_facing`.
SkinSurface make_skin_surface(const Rig& rig);

}  // namespace sinew::deform
