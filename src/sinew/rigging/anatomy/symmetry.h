// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/rigging/anatomy/mirror_plane.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// The mirror image of every vertex across the plane through `point` with that normal, or kNone for a vertex without
/// one within `tolerance_rel` of the mesh size. Of several candidates the nearest is chosen, then the first. Images
/// point back at each other, except where copies of a vertex share one position. Expected linear.
std::vector<Index> mirror_vertices(const Mesh& mesh, const Vec3& point, const Vec3& normal,
                                   double tolerance_rel = 1e-4);

/// Share of the vertices that have a mirror image.
double mirrored_share(const std::vector<Index>& images);

/// Whether the joints of a plan may be mirrored across a plane. A surface that is its own image as a whole has a
/// symmetric pose. Where only most of it is, because of props or of a limb in another pose, every joint must be within
/// 4 % of the longest side of the skeleton's box of the image of its partner.
bool is_symmetric_pose(const SkeletonPlan& plan, const MirrorPlane& plane);

/// Makes a plane the one of the plan: its normal becomes `left`, and the other two directions are made perpendicular to
/// it again.
void use_plane(SkeletonPlan& plan, const MirrorPlane& plane);

/// Makes partners exact mirror images of their mean, and moves joints without a side onto the plane.
void make_symmetric(SkeletonPlan& plan);

}  // namespace sinew::rigging
