// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/voxel/voxel_falloff.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::binding {
namespace {

constexpr double kLeast = 0.002, kLeastPublished = 1e-4;  // Distances count at least so much of the size.
constexpr double kSoftPower = 8, kPowerPerFalloff = 25;

double published_root(double distance, const VoxelFalloff& f) {
  const double d = std::max(distance / f.size, kLeastPublished);
  return (1 - f.falloff) * d + f.falloff * d * d;
}

}  // namespace

void voxel_weights(std::span<const float> distances, std::span<const Index> joints, const VoxelFalloff& f,
                   std::vector<Influence>& row) {
  row.clear();
  float nearest = std::numeric_limits<float>::infinity();
  for (const float d : distances) nearest = std::min(nearest, d);
  if (!std::isfinite(nearest)) return;
  if (f.published) {
    const double first = published_root(static_cast<double>(nearest), f);
    for (std::size_t k = 0; k < distances.size(); ++k) {
      if (!std::isfinite(distances[k])) continue;
      const double ratio = first / published_root(static_cast<double>(distances[k]), f);
      row.push_back({joints[k], static_cast<float>(ratio * ratio)});
    }
    return;
  }
  const auto power = static_cast<float>(kSoftPower + kPowerPerFalloff * f.falloff);
  const auto least = static_cast<float>(kLeast * f.size), reach = static_cast<float>(VoxelFalloff::kReach);
  const float first = std::max(nearest, least), taken = std::pow(1 / reach, power);
  for (std::size_t k = 0; k < distances.size(); ++k) {
    if (!(distances[k] < reach * first)) continue;
    const float d = std::max(distances[k], least);
    const float weight = d == first ? 1.0F : (std::pow(first / d, power) - taken) / (1 - taken);
    if (weight > 0) row.push_back({joints[k], weight});
  }
}

}  // namespace sinew::binding
