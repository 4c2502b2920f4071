// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// The mirror image of every vertex across the plane through `point` with that normal, kNone for one that has none
/// within `tolerance_rel` of the mesh's size. Of several the nearest, then the first. Images point back at each other,
/// except where copies of a vertex lie in one place. Expected linear.
std::vector<Index> mirror_vertices(const Mesh& mesh, const Vec3& point, const Vec3& normal,
                                   double tolerance_rel = 1e-4);

/// Share of the vertices that have a mirror image.
double mirrored_share(const std::vector<Index>& images);

/// A plane across `left` about which the mesh is its own mirror image: through the middle of its box, or through the
/// model's origin. False if less than 98 % of the vertices have an image.
bool find_mirror_plane(const Mesh& mesh, const Vec3& left, Vec3& point);

/// Makes partners exact mirror images of their mean, and lays joints without a side on the plane.
void make_symmetric(SkeletonPlan& plan);

}  // namespace sinew::rigging
