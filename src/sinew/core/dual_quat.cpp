// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/dual_quat.h"

namespace sinew {

DualQuat dual_quat(const Quat& rotation, const Vec3& translation) {
  DualQuat q{rotation, Quat(0, translation.x(), translation.y(), translation.z()) * rotation};
  q.dual.coeffs() *= 0.5;
  return q;
}

DualQuat dual_quat(const Mat4& rigid) {
  return dual_quat(Quat(Mat3(rigid.topLeftCorner<3, 3>())).normalized(), rigid.topRightCorner<3, 1>());
}

Mat4 matrix_of(const DualQuat& q) {
  Mat4 result = Mat4::Identity();
  result.topLeftCorner<3, 3>() = q.real.toRotationMatrix();
  result.topRightCorner<3, 1>() = 2 * (q.dual * q.real.conjugate()).vec();
  return result;
}

}  // namespace sinew
