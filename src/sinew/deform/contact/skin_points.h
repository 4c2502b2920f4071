// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/deform/contact/flesh_field.h"

namespace sinew::deform {

/// A point of the skin at binding, not necessarily a vertex.
struct SkinPoint {
  Vec3f at = Vec3f::Zero(), normal = Vec3f::Zero();
  Index owner = kNone;                    ///< The joint with the largest weight.
  Index vertex = kNone;                   ///< The nearest corner of its triangle, a vertex of the mesh.
  std::array<Influence, 4> weights = {};  ///< The largest; they add up to 1.

  float weight_of(Index joint) const;
};

/// Points all over the skin of joints that have flesh, about half a radius of the flesh apart, also inside of large
/// triangles; by owner. `owner` is the joint that owns each vertex of the mesh, or kNone. Linear in the triangles and
/// points.
std::vector<SkinPoint> skin_points(const Rig& rig, const std::vector<Index>& owner,
                                   const std::vector<FleshField>& fields);

}  // namespace sinew::deform
