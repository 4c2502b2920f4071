// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/math.h"

namespace sinew {

/// A rigid motion: the rotation q and the translation t as q + ε ½ t q.
struct DualQuat {
  Quat real = Quat::Identity();
  Quat dual = Quat(0, 0, 0, 0);
};

/// Returns the dual quaternion of a rotation, given as a unit quaternion, followed by a translation.
DualQuat dual_quat(const Quat& rotation, const Vec3& translation);

/// Returns the dual quaternion of a rigid matrix. Its real part has length 1. \pre the upper left 3×3 block is a
/// rotation.
DualQuat dual_quat(const Mat4& rigid);

/// Returns the matrix of a dual quaternion. \pre the real part has length 1.
Mat4 matrix_of(const DualQuat& q);

}  // namespace sinew
