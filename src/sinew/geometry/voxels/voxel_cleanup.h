// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>

#include "sinew/geometry/voxels/voxels.h"

namespace sinew::geometry {

/// Exterior pockets of at least so many voxels are left open: they may be meant.
inline constexpr std::size_t kSmallestPocket = 8;

/// Interior voxels connected through faces that touch neither a boundary voxel nor a bone become exterior; closed
/// exterior pockets of fewer than `kSmallestPocket` voxels become interior. Changes `classes` and the two counts;
/// linear. \pre the outermost voxels are not interior.
void clean_up_voxels(SolidVoxels& voxels, std::span<const Segment> bones);

}  // namespace sinew::geometry
