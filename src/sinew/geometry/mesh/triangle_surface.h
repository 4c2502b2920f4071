// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// Plain points and triangles: the input of the operators on surfaces. A triangle faces the side from which its corners
/// run counter-clockwise.
struct TriangleSurface {
  std::vector<Vec3> positions;
  std::vector<std::array<Index, 3>> triangles;
};

/// The triangles of `triangulate(mesh)` on the mesh's own vertices.
TriangleSurface triangle_surface(const Mesh& mesh);

/// Returns the same triangles, in the same order, on the welded vertices, so that they are connected where a file
/// splits vertices at seams. Triangles that welding collapses are kept, so that indices agree with `triangulate`.
TriangleSurface triangle_surface(const Mesh& mesh, const Welding& welding);

}  // namespace sinew::geometry
