// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/hrbf.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace sinew::deform {
namespace {

constexpr double kLargestMisfit = 1e-6;

/// One 4×4 block of the system: what sample j contributes to the value and the gradient at D from it. The minus signs
/// make the whole matrix symmetric.
Mat4 block(const Vec3& D) {
  const double r = D.norm();
  Mat4 b = Mat4::Zero();
  if (!(r > 0)) return b;
  b(0, 0) = r * r * r;
  b.block<1, 3>(0, 1) = -3 * r * D.transpose();
  b.block<3, 1>(1, 0) = 3 * r * D;
  b.block<3, 3>(1, 1) = -3 * (r * Mat3::Identity() + D * D.transpose() / r);
  return b;
}

}  // namespace

Hrbf::Hrbf(const Vec3& center, double scale, std::vector<Vec3> centers, std::vector<Vec4> coefficients)
    : center_(center),
      scale_(scale),
      centers_(std::move(centers)),
      coefficients_(std::move(coefficients)),
      ok_(!centers_.empty()) {}

Hrbf Hrbf::fit(std::span<const SurfaceSample> samples) {
  Hrbf result;
  if (samples.empty()) return result;
  for (const SurfaceSample& sample : samples) result.center_ += sample.point / static_cast<double>(samples.size());
  double radius = 0;
  for (const SurfaceSample& sample : samples) radius = std::max(radius, (sample.point - result.center_).norm());
  result.scale_ = radius > 0 ? radius : 1;
  for (const SurfaceSample& sample : samples)
    result.centers_.push_back((sample.point - result.center_) / result.scale_);
  const auto count = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd A(4 * count, 4 * count);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(4 * count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j)
      A.block<4, 4>(4 * i, 4 * j) =
          block(result.centers_[static_cast<std::size_t>(i)] - result.centers_[static_cast<std::size_t>(j)]);
    right.segment<3>(4 * i + 1) = samples[static_cast<std::size_t>(i)].normal;
  }
  const Eigen::VectorXd solution = A.partialPivLu().solve(right);
  for (Eigen::Index j = 0; j < count; ++j) result.coefficients_.push_back(solution.segment<4>(4 * j));
  result.residual_ = solution.allFinite() ? (A * solution - right).cwiseAbs().maxCoeff() : 1;
  result.ok_ = result.residual_ < kLargestMisfit;
  return result;
}

Hrbf::Value Hrbf::evaluate(const Vec3& x) const {
  const Vec3 y = (x - center_) / scale_;
  double value = 0;
  Vec3 gradient = Vec3::Zero();
  for (std::size_t j = 0; j < centers_.size(); ++j) {
    const Vec3 D = y - centers_[j];
    const double squared = D.squaredNorm();
    if (!(squared > 0)) continue;
    const double r = std::sqrt(squared), a = coefficients_[j][0];
    const Vec3 b = coefficients_[j].tail<3>();
    const double along = b.dot(D);
    value += r * (a * squared - 3 * along);
    gradient += 3 * ((a * r - along / r) * D - r * b);
  }
  return {scale_ * value, gradient};
}

}  // namespace sinew::deform
