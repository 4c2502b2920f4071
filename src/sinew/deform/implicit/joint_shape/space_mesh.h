// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "sinew/deform/implicit/hrbf.h"

namespace sinew::deform {

/// Closes a hole without any plane: cells of the Delaunay triangulation of the vertices of a part and of particles on
/// its function are inside if the centre of their ball is, and within the box of all points. What separates cells that
/// are inside from those that are not, as far as it touches particles or lies between vertices of the border, closes
/// the hole.
///
/// `corners` are the vertices of the border, such that the hole is at its left. The triangles number these first, then
/// the particles, and face outwards. Empty where they are not one disk with that border, or if there are more than
/// 20,000 points.
std::optional<std::vector<std::array<Index, 3>>> triangulate_in_space(std::span<const Vec3> part,
                                                                      std::span<const Index> corners,
                                                                      std::span<const Vec3> particles,
                                                                      const Hrbf& function);

}  // namespace sinew::deform
