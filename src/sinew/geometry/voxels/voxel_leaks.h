// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sinew/geometry/voxels/voxels.h"

namespace sinew::geometry {

/// The steps from a voxel to its neighbours: six across faces, twelve across edges, eight across corners. Step s ^ 1
/// goes back.
inline constexpr std::size_t kVoxelSteps = 26;
extern const std::array<std::array<int, 3>, kVoxelSteps> kVoxelStep;

/// Where ways through solid voxels would jump from one part of the surface to another that only lies close to it: legs
/// together, arms at the sides, fingers side by side touch within a voxel or two, and then the solid voxels of both are
/// neighbours.
///
/// Every voxel has an *anchor*: an interior one its centre, a boundary one a point a quarter of a voxel behind the
/// surface in it, but in the middle of what is thinner. A step is closed if the straight line between the two anchors
/// meets the surface. So a chain of open steps is a line that never leaves the body: no thin gap, no surface that
/// touches or overlaps another is crossed. Where a voxel holds two surfaces back to back or front to front, its anchor
/// belongs to the one that its centre lies deeper behind. Only surface of the shell that a voxel belongs to closes its
/// steps: clothes have to hang on what they cover, and shells that stick in each other are one body.
///
/// Only voxels near places where normals differ by more than 60° within a neighbour are looked at; elsewhere there is
/// one smooth surface and no gap. Fronts are judged with `solid_facing`, so that flipped faces and shells do no harm.
///
/// In place of distances along the mesh, which thin parts with a far rim would fail, this looks at what lies between:
/// what is closed in a crease costs nothing, since the way below it is open. Comparing the normals of neighbours alone
/// leaks along the rims of gaps.
class VoxelLeaks {
 public:
  /// About as long as finding the boundary voxels, plus rays where surfaces bend. The same for any number of threads.
  /// \pre the voxels are those of the mesh. \throws Cancelled.
  VoxelLeaks(const Mesh& mesh, const SolidVoxels& voxels, const Progress& progress = {});
  VoxelLeaks(VoxelLeaks&&) noexcept;
  VoxelLeaks& operator=(VoxelLeaks&&) noexcept;
  ~VoxelLeaks();

  /// Per solid voxel: bit s is set where step s must not be taken; both ways alike.
  const std::vector<std::uint32_t>& closed() const { return closed_; }
  /// Pairs of neighbours that are kept apart.
  Index closed_steps() const { return closed_steps_; }

  /// Whether surface lies between a vertex, or rather the body just behind it, and the anchor of a solid voxel.
  bool parted(Index vertex, Index solid) const;
  /// The point behind a vertex, in units of the mesh: the vertex itself if it has no faces.
  Vec3 behind(Index vertex) const;

 private:
  struct Walls;
  std::unique_ptr<const Walls> walls_;
  std::vector<std::uint32_t> closed_;
  Index closed_steps_ = 0;
};

}  // namespace sinew::geometry
