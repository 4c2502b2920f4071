// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/voxels/voxel_distances.h"

namespace sinew::binding {

/// How a vertex takes its distances from solid voxels.
struct VoxelStencil {
  std::array<Index, 8> solid;        ///< Places in `SolidVoxels::solid`; those after the last are kNone.
  std::array<float, 8> weight = {};  ///< Positive; of those that a search reaches, scaled to the sum 1.
  float extra = 0;                   ///< In voxels, added to what comes out.
  enum class Kind : std::uint8_t {
    kInside,  ///< In a solid voxel, or between some.
    kBeside,  ///< The nearest solid voxel, and the way there.
    kFar,     ///< Nothing solid that is reached lies near: no voxels.
  } kind = Kind::kInside;
};

/// Stencils of the given vertices. Marching: trilinear between the eight voxel centres around a vertex, without those
/// that are exterior, that `reached` has no distance for, or that lie across a gap. Chamfer: the voxel that holds the
/// vertex and the way from its centre, as published. Vertices with nothing around take the nearest voxel that is
/// reached, within 16 voxels.
std::vector<VoxelStencil> voxel_stencils(const Mesh& mesh, std::span<const Index> vertices,
                                         const geometry::SolidVoxels& voxels, const geometry::VoxelLeaks* leaks,
                                         const geometry::VoxelField& reached, geometry::VoxelMetric metric);

/// The distance that a stencil takes from a field, in voxels; infinite if the field reaches none of its voxels.
float voxel_distance(const VoxelStencil& stencil, const geometry::VoxelField& field);

}  // namespace sinew::binding
