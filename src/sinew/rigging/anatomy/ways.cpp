// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/ways.h"

#include <numeric>

#include "sinew/geometry/voxels/voxel_distances_seeds.h"

namespace sinew::rigging {
namespace {

std::vector<Index> all_of(std::size_t count) {
  std::vector<Index> all(count);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace

struct BodyWays::Finder {
  explicit Finder(const geometry::SolidVoxels& voxels) : nearest(voxels, all_of(voxels.solid.size())) {}
  geometry::NearestVoxel nearest;
};

BodyWays::BodyWays(const Interior& interior)
    : interior_(&interior),
      distances_(
          std::make_unique<geometry::VoxelDistances>(interior.voxels, nullptr, geometry::VoxelMetric::kMarching)),
      finder_(std::make_unique<Finder>(interior.voxels)) {}
BodyWays::BodyWays(BodyWays&&) noexcept = default;
BodyWays::~BodyWays() = default;

Index BodyWays::nearest(const Vec3& point) const {
  return finder_->nearest.find((point - interior_->voxels.origin) / cell()).solid;
}

std::vector<float> BodyWays::from(const Vec3& point, double limit) const { return from(nearest(point), limit); }

std::vector<float> BodyWays::from(Index solid, double limit) const {
  geometry::VoxelField field;
  const geometry::VoxelSeed seed{solid, 0, 0};
  distances_->search({&seed, 1}, field, static_cast<float>(limit / cell()));
  std::vector<float> result = std::move(field.distance);
  for (float& d : result) d *= static_cast<float>(cell());
  return result;
}

}  // namespace sinew::rigging
