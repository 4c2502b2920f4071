// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/rotation.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>

#include "sinew/core/angles.h"

namespace sinew {

Mat4 Transform::matrix() const {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = rotation.toRotationMatrix() * scale.asDiagonal();
  m.topRightCorner<3, 1>() = translation;
  return m;
}

Decomposed decompose(const Mat4& matrix) {
  Decomposed result;
  result.transform.translation = matrix.topRightCorner<3, 1>();
  const Mat3 a = matrix.topLeftCorner<3, 3>();
  Mat3 r;
  Vec3 s = a.colwise().norm();
  const double largest = s.maxCoeff();
  if (largest == 0) {
    result.transform.scale = Vec3::Zero();
    return result;
  }
  // Without shear the columns are orthogonal already and give R exactly; else the polar rotation is the nearest one.
  Mat3 unit = a;
  bool has_zero = false;
  for (int i = 0; i < 3; ++i) {
    if (s[i] > 1e-12 * largest) unit.col(i) /= s[i];
    else has_zero = true;
  }
  const Mat3 gram = unit.transpose() * unit;
  const double skew = std::max({std::abs(gram(0, 1)), std::abs(gram(0, 2)), std::abs(gram(1, 2))});
  if (has_zero || skew > 1e-6) {
    r = polar(a).rotation;
    if (a.determinant() < 0) s[0] = -s[0];
    // R is fixed by the polar form, so the scale keeps only each column's part along R's axis.
    const Mat3 rest = r.transpose() * a;
    for (int i = 0; i < 3; ++i) {
      s[i] = rest(i, i);
      if (std::abs(s[i]) <= 1e-12 * largest) s[i] = 0;
    }
    for (int i = 0; i < 3; ++i)
      if (s[i] != 0) result.shear.row(i) = rest.row(i) / s[i];
  } else {
    if (unit.determinant() < 0) {
      unit.col(0) = -unit.col(0);
      s[0] = -s[0];
    }
    r = unit;
  }
  result.transform.rotation = Quat(r).normalized();
  result.transform.scale = s;
  return result;
}

SwingTwist swing_twist(const Quat& q, const Vec3& axis) {
  const double along = q.vec().dot(axis);
  Quat twist(q.w(), along * axis.x(), along * axis.y(), along * axis.z());
  const double length = twist.norm();
  if (length < 1e-12) twist = Quat::Identity();
  else twist.coeffs() /= length;
  return {q * twist.conjugate(), twist};
}

double twist_angle_rad(const Quat& q, const Vec3& axis) {
  double angle = 2.0 * std::atan2(q.vec().dot(axis), q.w());
  if (angle > kPi) angle -= 2.0 * kPi;
  if (angle <= -kPi) angle += 2.0 * kPi;
  return angle;
}

Vec3 rotation_log(const Quat& q) {
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const Vec3 v = sign * q.vec();
  const double sine = v.norm();
  if (sine < 1e-12) return 2.0 * v;
  return (2.0 * std::atan2(sine, sign * q.w()) / sine) * v;
}

Quat rotation_exp(const Vec3& rotation_vector) {
  const double angle = rotation_vector.norm();
  // sin(x/2)/x by its series near zero, where the quotient loses its digits.
  const double factor = angle < 1e-6 ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
  const Vec3 v = factor * rotation_vector;
  return Quat(std::cos(0.5 * angle), v.x(), v.y(), v.z()).normalized();
}

Polar polar(const Mat3& a) {
  const Eigen::JacobiSVD<Mat3> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 u = svd.matrixU();
  const Mat3 v = svd.matrixV();
  Vec3 sigma = svd.singularValues();
  if ((u * v.transpose()).determinant() < 0) {
    u.col(2) = -u.col(2);
    sigma[2] = -sigma[2];
  }
  return {u * v.transpose(), v * sigma.asDiagonal() * v.transpose()};
}

Quat rotation_from_euler(const Vec3& angles_rad, const char* order) {
  [[maybe_unused]] constexpr std::string_view kAxes = "xyz";
  assert(std::is_permutation(kAxes.begin(), kAxes.end(), order, order + std::char_traits<char>::length(order)));
  Quat q = Quat::Identity();
  for (const char* letter = order; *letter; ++letter) {
    const int axis = *letter - 'x';
    q = Quat(Eigen::AngleAxisd(angles_rad[axis], Vec3::Unit(axis))) * q;
  }
  return q;
}

Quat slerp(const Quat& a, const Quat& b, double t) {
  double cosine = a.dot(b);
  const double sign = cosine < 0 ? -1.0 : 1.0;
  cosine = std::min(1.0, std::abs(cosine));
  double wa = 1.0 - t, wb = t;
  if (cosine < 1.0 - 1e-10) {
    const double angle = std::acos(cosine);
    wa = std::sin((1.0 - t) * angle) / std::sin(angle);
    wb = std::sin(t * angle) / std::sin(angle);
  }
  Quat q;
  q.coeffs() = wa * a.coeffs() + sign * wb * b.coeffs();
  return q.normalized();
}

}  // namespace sinew
