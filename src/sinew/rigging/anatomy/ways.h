// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/rigging/embed/interior.h"

namespace sinew::rigging {

/// Ways through the inside of a body. All lengths are those of the interior's frame. Several threads may query it.
class BodyWays {
 public:
  using Field = std::shared_ptr<const std::vector<float>>;

  /// Refers to it.
  explicit BodyWays(const Interior& interior);
  BodyWays(BodyWays&&) noexcept;
  ~BodyWays();

  const Interior& interior() const { return *interior_; }
  const geometry::VoxelDistances& distances() const { return *distances_; }
  double cell() const { return interior_->voxels.cell; }
  Index size() const { return static_cast<Index>(interior_->voxels.solid.size()); }
  Vec3 center(Index solid) const { return interior_->voxels.center(interior_->voxels.solid[solid]); }
  double depth(Index solid) const { return -interior_->depth.values[interior_->voxels.solid[solid]]; }
  /// The solid voxel nearest to a point.
  Index nearest(const Vec3& point) const;
  /// One of the 26 steps of `kVoxelStep`; kNone where there is nothing solid.
  Index neighbour(Index solid, std::size_t step) const {
    const auto voxel = static_cast<std::ptrdiff_t>(interior_->voxels.solid[solid]);
    return interior_->voxels.ids[static_cast<std::size_t>(voxel + offsets_[step])];
  }

  /// Distances of all solid voxels from a point, at most `limit` far; infinity elsewhere. Linear in the voxels reached.
  std::vector<float> from(const Vec3& point, double limit = 1e9) const;
  std::vector<float> from(Index solid, double limit = 1e9) const;
  /// The same without a limit, kept for the next one who asks: readings of one body often begin in the same places. Of
  /// the first 32 places; further ones are found anew.
  Field all_from(const Vec3& point) const;

 private:
  const Interior* interior_;
  std::array<std::ptrdiff_t, geometry::kVoxelSteps> offsets_;
  std::unique_ptr<geometry::VoxelDistances> distances_;
  struct Finder;
  std::unique_ptr<Finder> finder_;
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace sinew::rigging
