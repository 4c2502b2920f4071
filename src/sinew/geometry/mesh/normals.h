// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// Unit normals by Newell's method: that of the plane which fits a polygon that is not flat. Zero for a degenerate
/// face, one nearer to a line than 1e-12 of the mesh's size. Linear, like all here, and the same for any number of
/// threads.
std::vector<Vec3> face_normals(const Mesh& mesh);

/// One per vertex of the mesh: the faces' normals weighted by their angles at the vertex, which does not depend on how
/// a surface is cut into faces. G. Thürmer, C. Wüthrich, "Computing vertex normals from polygonal facets", 1998. With a
/// welding, copies of a welded vertex share one. Degenerate faces have no weight; zero where nothing has any.
std::vector<Vec3> vertex_normals(const Mesh& mesh, const Welding* welding = nullptr);

}  // namespace sinew::geometry
