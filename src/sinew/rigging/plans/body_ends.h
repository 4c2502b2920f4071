// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/rigging/plans/legs.h"

namespace sinew::rigging {

/// What a body has beyond a level across it.
struct BodyEnd {
  double volume = 0;     ///< In voxels.
  double thickness = 0;  ///< The greatest depth.
  double height = 0;     ///< Of its highest voxel.
};

/// The end of a body ahead (`sign` 1) or behind (−1) a level.
BodyEnd body_end(const BodyVoxels& body, double z, double sign);

/// How much more likely a body faces +z than −z, as a sum of logarithms of ratios. Heads are thicker, heavier and
/// higher than tails, and feet point forward: `feet` is what they add. `rear_z`, `front_z`: where its hind and its
/// front legs stand. The terms are added to `evidence`.
double facing_evidence(const BodyVoxels& body, double rear_z, double front_z, double feet, Json& evidence);

/// The end of a head or a tail in the mirror plane: of the voxels with a nonzero `taken` the one that is farthest from
/// `start` through the body and farthest along `sign` · z. Nothing if there are none.
std::optional<Vec3> farthest_end(const BodyVoxels& body, const Vec3& start, const std::vector<std::uint8_t>& taken,
                                 double sign);

}  // namespace sinew::rigging
