// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <functional>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/core/volume.h"

namespace sinew::geometry {

/// Tetrahedra that fill where a field is negative, of even size and good shape, whatever the surface they are made for
/// looks like: F. Labelle, J. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral angles", 2007.
///
/// Lattice: corners and centres of cubes of edge `cell`, twelve tetrahedra to a cube. Vertices near the surface are
/// moved onto it, where edges cross it tetrahedra are cut; all dihedral angles lie between 10.7° and 164.8° (9.6° was
/// seen once on a ball of two cells' radius). Thin parts that fall between the vertices of the lattice are lost. Linear
/// in the cubes of the box; the field is asked in parallel, the rest on one thread; the same bits for any number of
/// threads. `field` is asked from several threads at once. Nothing inside: no tetrahedra. \pre cell > 0. \throws Error
/// for more than 2^28 lattice points; Cancelled.
TetMesh stuff(const std::function<double(const Vec3&)>& field, const Box& box, double cell,
              const Progress& progress = {});

/// The smallest and largest of the angles between faces of tetrahedra, in radians.
struct DihedralAngles {
  double smallest_rad = 0, largest_rad = 0;
};
DihedralAngles dihedral_angles(const TetMesh& tets);

/// Returns the signed volume of one tetrahedron.
double tet_volume(const TetMesh& tets, Index tet);

/// Tetrahedra that are connected through common vertices, numbered in order of their first tetrahedron.
struct TetComponents {
  Index count = 0;
  std::vector<Index> of_tet;
  std::vector<Index> of_vertex;
  std::vector<double> volume;  ///< Per component.
};
TetComponents tet_components(const TetMesh& tets);

/// The tetrahedra for which `keep` is set, with only the vertices they use, in their order.
TetMesh kept_tets(const TetMesh& tets, const std::vector<char>& keep);

/// Tetrahedra that were cut apart along faces.
struct CutTets {
  TetMesh tets;                ///< The same tetrahedra in their order; copies of vertices come after all others.
  std::vector<Index> copy_of;  ///< Per vertex: the one it was before. Vertices that were not copied keep their number.
  std::vector<char> at_cut;    ///< Per vertex: it belongs to a face along which tetrahedra were cut apart.
};

/// Cuts tetrahedra apart along the faces they share, wherever `joined(a, b)` is false for the two. Around a vertex
/// those that are still connected through faces keep a vertex in common; each other group gets a copy of it. A cut that
/// ends inside therefore opens like a slit. `joined` is called once for each shared face. n log n.
CutTets cut_tets(const TetMesh& tets, const std::function<bool(Index a, Index b)>& joined);

/// The triangles that belong to one tetrahedron only, facing outwards.
std::vector<std::array<Index, 3>> tet_surface(const TetMesh& tets);

}  // namespace sinew::geometry
