// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// Per triangle: the first one with the same three corners, in any order; itself if there is none before it. Hundreds
/// of copies of a mesh in one place would make searches take the square of their number otherwise. About n log n.
std::vector<Index> first_copies(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles);

/// From so many triangles in one place on average on, methods take one of each place.
inline constexpr std::size_t kManyCopies = 8;

/// The first triangle of each place if there are `kManyCopies` in one place on average, else all.
std::vector<std::array<Index, 3>> without_many_copies(std::span<const Vec3> positions,
                                                      std::vector<std::array<Index, 3>> triangles);

}  // namespace sinew::geometry
