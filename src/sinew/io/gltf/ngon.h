// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::io::gltf {

/// FB_ngon_encoding: neighbouring triangles that begin with the same vertex are the fan of one polygon.

/// Appends the polygons that a list of triangles encodes to `mesh`.
void decode_ngons(std::span<const std::uint32_t> indices, Mesh& mesh);

/// The fan of a polygon. The start is chosen so that all triangles face as the polygon does, and differs from the start
/// of the polygon before. A polygon that no fan can fill is cut into triangles of its own and counted in `broken`.
/// `corners` name the polygon's elements in the accessor; `corner_points` their positions.
void encode_ngon(std::span<const std::uint32_t> corners, std::span<const Vec3> corner_points,
                 std::vector<std::uint32_t>& indices, std::size_t& broken);

}  // namespace sinew::io::gltf
