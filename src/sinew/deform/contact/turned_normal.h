// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Normals of skin that a stage of contact moves.

#include <array>
#include <vector>

#include "sinew/core/rotation_between.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::deform {

/// The sum of the normals of the faces around a vertex, by their areas.
inline Vec3f normal_around(Index vertex, const std::vector<std::array<Index, 3>>& triangles,
                           const geometry::Lists& triangles_of, const std::vector<Vec3f>& points) {
  Vec3f sum = Vec3f::Zero();
  for (const Index t : triangles_of[vertex]) {
    const auto& [a, b, c] = triangles[t];
    sum += (points[b] - points[a]).cross(points[c] - points[a]);
  }
  return sum;
}

}  // namespace sinew::deform
