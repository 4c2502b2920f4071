// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// The largest connected surface of a mesh by area: what distances along the surface are defined on.
struct MainShell {
  geometry::TriangleSurface surface;
  std::vector<Vec3> normals;     ///< Per vertex of the surface.
  std::vector<Index> vertex;     ///< Per vertex of the surface: a vertex of the mesh.
  std::vector<Index> of_vertex;  ///< Per vertex of the mesh: that of the surface, or kNone.
  double area_share = 1;         ///< Of the whole mesh's area.
  Index shells = 0;              ///< Connected surfaces of the mesh.
};

/// Welded as `geometry::weld` does. Triangles without area are left out, and vertices that no other triangle uses.
/// Linear. \throws Error if there is no area.
MainShell main_shell(const Mesh& mesh);

/// The same with all shells of the mesh together; `area_share` is still that of the largest.
MainShell all_shells(const Mesh& mesh);

/// The bone of `paired_bones` that each vertex of a shell is nearest to, by its numbers: pair, then bone.
struct NearestBone {
  Index pair = 0;
  Index bone = 0;
};

/// On the target's bones if `of_target`, else on the reference's. Vertices × bones.
std::vector<NearestBone> nearest_bones(const std::vector<Vec3>& positions,
                                       const std::vector<std::vector<PairedBone>>& bones, bool of_target);

}  // namespace sinew::transfer
