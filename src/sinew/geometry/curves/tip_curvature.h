// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/geometry/curves/tips.h"

namespace sinew::geometry {

/// The paper's rule, for studies: tips where the curvature is highest. The paper gives no formula; here it is the angle
/// defect per area, averaged over a twentieth of the size, and a tip is a maximum within a quarter of the size with
/// more than half of the highest value. It also finds noses, heels and noise.
std::vector<LimbTip> curvature_tips(const CurveSurface& surface, const SurfaceGraph& graph,
                                    std::span<const Index> vertices);

}  // namespace sinew::geometry
