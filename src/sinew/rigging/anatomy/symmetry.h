// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// The mirror image of every vertex across the plane through `point` with that normal, or kNone for a vertex without
/// one within `tolerance_rel` of the mesh size. Of several candidates the nearest is chosen, then the first. Images
/// point back at each other, except where copies of a vertex share one position. Expected linear.
std::vector<Index> mirror_vertices(const Mesh& mesh, const Vec3& point, const Vec3& normal,
                                   double tolerance_rel = 1e-4);

/// Share of the vertices that have a mirror image.
double mirrored_share(const std::vector<Index>& images);

/// Finds a plane perpendicular to `left` across which the mesh is symmetric: through the middle of its bounding box, or
/// through the origin of the model. Returns false if less than 98 % of the vertices have a mirror image.
bool find_mirror_plane(const Mesh& mesh, const Vec3& left, Vec3& point);

/// Makes partners exact mirror images of their mean, and moves joints without a side onto the plane.
void make_symmetric(SkeletonPlan& plan);

}  // namespace sinew::rigging
