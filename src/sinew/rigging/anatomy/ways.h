// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/rigging/embed/interior.h"

namespace sinew::rigging {

/// Ways through the inside of a body. All lengths are those of the interior's frame.
class BodyWays {
 public:
  /// Refers to it.
  explicit BodyWays(const Interior& interior);
  BodyWays(BodyWays&&) noexcept;
  ~BodyWays();

  const Interior& interior() const { return *interior_; }
  double cell() const { return interior_->voxels.cell; }
  Index size() const { return static_cast<Index>(interior_->voxels.solid.size()); }
  Vec3 center(Index solid) const { return interior_->voxels.center(interior_->voxels.solid[solid]); }
  double depth(Index solid) const { return -interior_->depth.values[interior_->voxels.solid[solid]]; }
  /// The solid voxel nearest to a point.
  Index nearest(const Vec3& point) const;
  Index neighbour(Index solid, std::size_t step) const { return distances_->neighbour(solid, step); }

  /// Distances of all solid voxels from a point, at most `limit` far; infinity elsewhere.
  std::vector<float> from(const Vec3& point, double limit = 1e9) const;
  std::vector<float> from(Index solid, double limit = 1e9) const;

 private:
  const Interior* interior_;
  std::unique_ptr<geometry::VoxelDistances> distances_;
  struct Finder;
  std::unique_ptr<Finder> finder_;
};

}  // namespace sinew::rigging
