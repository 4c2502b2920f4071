// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/rotation_between.h"

#include <cmath>
#include <limits>

namespace sinew {
namespace {

template <class Scalar>
Eigen::Quaternion<Scalar> shortest(const Eigen::Matrix<Scalar, 3, 1>& from, const Eigen::Matrix<Scalar, 3, 1>& to) {
  using Vector = Eigen::Matrix<Scalar, 3, 1>;
  const Vector a = from.normalized(), b = to.normalized();
  if (a.isZero(0) || b.isZero(0)) return Eigen::Quaternion<Scalar>::Identity();
  // Half the angle has cosine |a + b| / 2, and |a × b| is its sine times |a + b|: nothing is lost near 180°.
  const Scalar sum = (a + b).norm();
  Eigen::Quaternion<Scalar> result;
  if (sum > std::sqrt(std::numeric_limits<Scalar>::epsilon())) {
    result.w() = sum / 2;
    result.vec() = a.cross(b) / sum;
  } else {
    int least = 0;
    a.cwiseAbs().minCoeff(&least);
    result.w() = 0;
    result.vec() = a.cross(Vector::Unit(least));
  }
  return result.normalized();
}

}  // namespace

Quat rotation_between(const Vec3& from, const Vec3& to) { return shortest<double>(from, to); }
Eigen::Quaternionf rotation_between_f(const Vec3f& from, const Vec3f& to) { return shortest<float>(from, to); }

}  // namespace sinew
