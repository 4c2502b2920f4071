// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/binding/voxel/voxel.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::binding {

/// How a vertex came to its distances.
enum class VoxelWay : std::uint8_t {
  kBody,    ///< Inside the body.
  kShell,   ///< Over a gap to a shell that nothing solid leads to.
  kBeside,  ///< It lies outside all voxels: from the nearest one.
  kFar,     ///< Straight, through the air: nothing lies near.
};

/// Distances of vertices from joints through the solid of a mesh, and what is known of how they were found.
struct VoxelMatrix {
  geometry::Welding welding;
  std::vector<Index> joints;  ///< That have bones, rising: the columns.
  /// Welded vertices × joints, in units of the mesh; infinite beyond `limit`. Marching: longer where the way is a
  /// detour.
  std::vector<float> distance;
  std::vector<VoxelWay> way;  ///< Per welded vertex.
  double limit = 0;           ///< Distances beyond are not searched for; infinite if all were.

  double size = 0;     ///< Diagonal of the box around all that faces use.
  double cell = 0;     ///< Edge of a voxel.
  int resolution = 0;  ///< Lower than requested if the work would be too much.
  std::uint64_t grid = 0, solid = 0, undecided = 0, closed_steps = 0, bridges = 0;
  bool unguarded = false;        ///< No leak guard, because the surface encloses next to nothing.
  std::vector<Index> outside;    ///< Joints whose bones pass no solid voxel.
  std::vector<Index> leaving;    ///< Joints more than half of whose bones' voxels are exterior.
  std::vector<Index> stray;      ///< Joints whose bones leave the grid.
  std::vector<float> thickness;  ///< Per column: of the part around it, in voxels; 0 if it has none.

  std::span<const float> row(Index welded) const {
    return {distance.data() + std::size_t{welded} * joints.size(), joints.size()};
  }
};

/// Builds it. Distances beyond `reach` times the nearest joint's distance may be left infinite. \throws Error,
/// Cancelled.
VoxelMatrix voxel_matrix(const Subject& subject, const BoneTree& tree, const VoxelOptions& options, double reach,
                         const Progress& progress);

}  // namespace sinew::binding
