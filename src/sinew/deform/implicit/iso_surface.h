// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/deform/implicit/field_grid.h"

namespace sinew::deform {

/// Triangles of the surface on which a tabulated function is zero, in the pose at binding, for drawings: cells of
/// `stride` nodes are cut into six tetrahedra each. Linear in the nodes.
std::vector<std::array<Vec3, 3>> iso_triangles(const FieldGrid& grid, int stride = 2);

}  // namespace sinew::deform
