// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/weights.h"

namespace sinew::pipeline {

/// Blends the transforms of joints for every vertex so that blending their inverses gives the inverse: the way back
/// from a pose returns the mesh. Each transform is a rigid motion E that moves the joint's position as the transform
/// does, and what it scales, Q, half-way: M = √E Q √E. Rigid motions are blended as dual quaternions (Kavan et al.
/// 2008), the logarithms of Q linearly. Vertices with a joint that mirrors are blended linearly. `positions`: of the
/// joints before. \pre the linear part of every transform has an inverse.
std::vector<Mat4> reversible_transforms(const SkinWeights& weights, const std::vector<Mat4>& joint_transforms,
                                        const std::vector<Vec3>& positions);

}  // namespace sinew::pipeline
