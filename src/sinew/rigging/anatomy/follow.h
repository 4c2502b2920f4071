// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/template.h"

namespace sinew::rigging {

/// Where the similarity that fits some joints of a template to their places best takes a point of the template, joints
/// near the point counting most (moving least squares; S. Schaefer et al., "Image deformation using moving least
/// squares", 2006). `turn`: from the frame of the places to the template's. \pre At least three joints.
Vec3 moved_along(const Template& skeleton_template, const Mat3& turn, const std::vector<Vec3>& places,
                 const std::vector<Index>& joints, const Vec3& point);

}  // namespace sinew::rigging
