// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"

namespace sinew::deform {

/// Model-space positions of a posed rig by linear blend skinning, morphs first, in double: what the file itself says it
/// looks like. Rigid parts follow their joint; vertices without weights stay where they are. Rows that do not sum to 1
/// are scaled to 1, as engines do, and weights that are not positive numbers are left out. Same bytes for any number of
/// threads; linear in the influences.
std::vector<Vec3> linear_positions(const Rig& rig, const ModelPose& pose);

/// The mesh with morphs at the given weights, nothing skinned.
std::vector<Vec3> morphed_positions(const Mesh& mesh, const std::vector<std::vector<double>>& morph_weights);

}  // namespace sinew::deform
