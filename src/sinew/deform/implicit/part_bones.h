// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/deform/implicit/part_samples.h"
#include "sinew/deform/implicit/partition.h"
#include "sinew/deform/implicit/skin_surface.h"

namespace sinew::deform {

/// The segments of each part: to the joints of its child parts, else to other joints below, else to its end, else as
/// far as its skin reaches. `bind` are the frames of the joints at binding. Every part has at least one segment, and
/// each begins at its joint. Linear.
std::vector<PartBones> bones_of_parts(const Partition& partition, const SkinSurface& surface, const Skeleton& skeleton,
                                      std::span<const Mat4> bind);

}  // namespace sinew::deform
