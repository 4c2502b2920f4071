// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/ways.h"

#include <map>
#include <mutex>
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

struct BodyWays::Kept {
  static constexpr std::size_t kMost = 32;
  std::mutex mutex;
  std::map<Index, Field> fields;  // By solid voxel.
};

BodyWays::BodyWays(const Interior& interior)
    : interior_(&interior),
      distances_(
          std::make_unique<geometry::VoxelDistances>(interior.voxels, nullptr, geometry::VoxelMetric::kMarching)),
      finder_(std::make_unique<Finder>(interior.voxels)),
      kept_(std::make_unique<Kept>()) {
  const std::array<Index, 3>& counts = interior.voxels.counts;
  for (std::size_t s = 0; s < geometry::kVoxelSteps; ++s) {
    const auto& step = geometry::kVoxelStep[s];
    offsets_[s] = step[0] + std::ptrdiff_t{counts[0]} * (step[1] + std::ptrdiff_t{counts[1]} * step[2]);
  }
}
BodyWays::BodyWays(BodyWays&&) noexcept = default;
BodyWays::~BodyWays() = default;

Index BodyWays::nearest(const Vec3& point) const {
  return finder_->nearest.find((point - interior_->voxels.origin) / cell()).solid;
}

std::vector<float> BodyWays::from(const Vec3& point, double limit) const { return from(nearest(point), limit); }

BodyWays::Field BodyWays::all_from(const Vec3& point) const {
  const Index solid = nearest(point);
  {
    const std::lock_guard lock(kept_->mutex);
    if (const auto found = kept_->fields.find(solid); found != kept_->fields.end()) return found->second;
  }
  Field field = std::make_shared<const std::vector<float>>(from(solid));
  const std::lock_guard lock(kept_->mutex);
  if (kept_->fields.size() < Kept::kMost) kept_->fields.emplace(solid, field);
  return field;
}

std::vector<float> BodyWays::from(Index solid, double limit) const {
  geometry::VoxelField field;
  const geometry::VoxelSeed seed{solid, 0, 0};
  distances_->search({&seed, 1}, field, static_cast<float>(limit / cell()));
  std::vector<float> result = std::move(field.distance);
  for (float& d : result) d *= static_cast<float>(cell());
  return result;
}

}  // namespace sinew::rigging
