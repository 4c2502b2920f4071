// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/rigging/anatomy/anatomy.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// Moves joints that lie outside the body, or too near to its surface, to the nearest medial sample:
/// those whose depth is below twice the least a sample has, or a fifth of the radius of their nearest sphere. Joints
/// with `fixed` stay.
void keep_inside(const Body& body, const Template& skeleton_template, Anatomy& anatomy, const std::vector<char>& fixed);

/// Moves joints that lie outside the mesh (its winding number, turned as `solid_facing` says, is not above one half)
/// into the middle of what lies behind the nearest surface, or else towards their parent: voxels may be solid where a
/// mesh of thin parts is not. Given ones stay. In a symmetric plan partners stay mirror images.
void pull_inside(SkeletonPlan& plan, const Mesh& mesh);

}  // namespace sinew::rigging
