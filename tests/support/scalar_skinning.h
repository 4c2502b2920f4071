// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"

namespace sinew::test {

/// A posed surface in double.
struct Posed {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;
};

/// Linear blend skinning, a vertex at a time, straight from the formulas: normals by the cofactors of Σ w M if
/// `cofactors`, else by Σ w M. \pre the mesh has a normal per vertex, or none at all.
Posed scalar_linear(const Rig& rig, const ModelPose& pose, bool cofactors);

/// Dual quaternions in the same way, in matrices and plain quaternions, with the stretch blended first where a joint
/// has any.
Posed scalar_dual_quaternions(const Rig& rig, const ModelPose& pose);

}  // namespace sinew::test
