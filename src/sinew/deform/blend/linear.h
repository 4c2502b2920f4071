// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"

namespace sinew::deform {

/// Model-space positions of a posed rig by linear blend skinning after morphs, in double precision. This is the shape
/// that the file itself describes. Rigid parts follow their joint; vertices without weights stay where they are. Rows
/// that do not sum to 1 are scaled to 1, as in engines, and weights that are not positive numbers are ignored. The
/// result has the same bytes for any number of threads. Linear in the influences.
std::vector<Vec3> linear_positions(const Rig& rig, const ModelPose& pose);

/// The positions of the mesh with morphs at the given weights, without skinning.
std::vector<Vec3> morphed_positions(const Mesh& mesh, const std::vector<std::vector<double>>& morph_weights);

}  // namespace sinew::deform
