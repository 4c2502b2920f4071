// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"

namespace sinew::geometry {

struct VoxelOptions {
  int resolution = 128;  ///< Raise it until the thinnest finger has four voxels; time and memory grow with the cube.
  int padding = 2;       ///< At least 1, so that every solid voxel has all its neighbours.
  bool cleanup = true;   ///< Otherwise specks and pinholes remain.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("resolution", "Voxels along the longest side of the mesh.").range(4, 1024), self.resolution);
    v(Field("padding", "Number of empty voxels around the mesh.").range(1, 64), self.padding);
    v(Field("cleanup", "Remove isolated interior specks and fill pockets smaller than eight voxels."), self.cleanup);
  }
};

enum class VoxelClass : std::uint8_t { kExterior = 0, kBoundary = 1, kInterior = 2 };

/// Cubes that a mesh fills: those its surface touches (boundary) and those it encloses (interior), together solid.
struct SolidVoxels {
  Vec3 origin = Vec3::Zero();  ///< The lowest corner of voxel (0, 0, 0).
  double cell = 0;             ///< Edge length.
  std::array<Index, 3> counts = {0, 0, 0};
  std::vector<VoxelClass> classes;  ///< Per voxel, x fastest, then y, then z.
  std::vector<Index> ids;           ///< Per voxel: its index in `solid`, or kNone.
  std::vector<Index> solid;         ///< The voxels that are not exterior, in increasing order.

  Index undecided = 0;       ///< Voxels decided by the winding number because the axes' votes did not.
  Index removed_specks = 0;  ///< Interior voxels that touched neither surface nor bone.
  Index filled_pockets = 0;  ///< Exterior voxels of closed pockets of fewer than eight.

  std::size_t index(Index x, Index y, Index z) const { return (std::size_t{z} * counts[1] + y) * counts[0] + x; }
  std::array<Index, 3> coordinates(std::size_t voxel) const {
    const std::size_t row = voxel / counts[0];
    return {static_cast<Index>(voxel % counts[0]), static_cast<Index>(row % counts[1]),
            static_cast<Index>(row / counts[1])};
  }
  Vec3 center(std::size_t voxel) const {
    const std::array<Index, 3> c = coordinates(voxel);
    return origin + cell * Vec3(c[0] + 0.5, c[1] + 0.5, c[2] + 0.5);
  }
};

/// A bone, for `solid_voxels`: interior that it passes through is kept.
struct Segment {
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
};

/// Solid voxels of any mesh, open, overlapping, flipped, in pieces. After O. Dionne, M. de Lasa, "Geodesic voxel
/// binding for production character meshes", 2013, with these differences. Instead of slices that are drawn, columns
/// through the voxels' centres along each axis collect signed crossings of the surface: a column votes *in* where its
/// running winding number is not zero, so that overlapping shells stay solid and flipped shells are. A column that has
/// lost a crossing (its total is not zero) abstains where its two ends disagree. Two votes of the same kind decide;
/// else the generalised winding number does (`FastWinding` with `solid_facing`, above one half), and `undecided` counts
/// it; beyond a quarter of the grid (and 50,000) for one voxel of each block of eight. The voxel edge is the longest
/// side over `resolution`. The grid is centred on the box, and no side of the box falls on a face between voxels.
///
/// Boundary voxels: exactly those whose box, enlarged by 1e-6 of its edge, a triangle meets. Triangles without area
/// count there, and for nothing else. Time: triangles and surface voxels, plus columns; the same result for any number
/// of threads. \pre the mesh is valid. \throws Error for a mesh without faces or with positions that are not finite, or
/// a grid beyond 2^30 voxels; Cancelled.
SolidVoxels solid_voxels(const Mesh& mesh, const VoxelOptions& options = {}, std::span<const Segment> bones = {},
                         const Progress& progress = {});

/// Whether a closed triangle and a closed box have a point in common, by separating axes, in double precision. After T.
/// Akenine-Möller, "Fast 3D triangle-box overlap testing", 2001.
bool triangle_meets_box(const std::array<Vec3, 3>& triangle, const Vec3& box_center, const Vec3& box_half);

}  // namespace sinew::geometry
