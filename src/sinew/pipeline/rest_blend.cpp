// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rest_blend.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/rotation.h"
#include "sinew/rigging/build/rest_pose.h"

namespace sinew::pipeline {
namespace {

constexpr double kRigid = 1e-4;  // How far a transform may be from a rotation and count as one.

bool is_rigid(const Mat3& linear) {
  return (linear.transpose() * linear - Mat3::Identity()).cwiseAbs().maxCoeff() < kRigid;
}

// The rigid motion that, applied twice, gives another, by the shorter way.
Mat4 half_of(const Mat4& rigid) {
  const Mat3 rotation = rigid.topLeftCorner<3, 3>();
  const Mat3 half = rotation_exp(0.5 * rotation_log(Quat(rotation))).toRotationMatrix();
  Mat4 result = Mat4::Identity();
  result.topLeftCorner<3, 3>() = half;
  result.topRightCorner<3, 1>() = (Mat3::Identity() + half).inverse() * rigid.topRightCorner<3, 1>();
  return result;
}

// (e^x − 1) / x.
double growth(double x) { return std::abs(x) < 1e-8 ? 1 + 0.5 * x : std::expm1(x) / x; }

// Logarithm and exponential of affine maps with a symmetric linear part.
Mat4 symmetric_log(const Mat4& m) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(Mat3(m.topLeftCorner<3, 3>()));
  const Mat3& axes = eigen.eigenvectors();
  Vec3 moved = axes.transpose() * m.topRightCorner<3, 1>(), logs;
  for (int i = 0; i < 3; ++i) {
    logs[i] = std::log(eigen.eigenvalues()[i]);
    moved[i] /= growth(logs[i]);
  }
  Mat4 result = Mat4::Zero();
  result.topLeftCorner<3, 3>() = axes * logs.asDiagonal() * axes.transpose();
  result.topRightCorner<3, 1>() = axes * moved;
  return result;
}

Mat4 symmetric_exp(const Mat4& m) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(Mat3(m.topLeftCorner<3, 3>()));
  const Mat3& axes = eigen.eigenvectors();
  Vec3 moved = axes.transpose() * m.topRightCorner<3, 1>(), scales;
  for (int i = 0; i < 3; ++i) {
    scales[i] = std::exp(eigen.eigenvalues()[i]);
    moved[i] *= growth(eigen.eigenvalues()[i]);
  }
  Mat4 result = Mat4::Identity();
  result.topLeftCorner<3, 3>() = axes * scales.asDiagonal() * axes.transpose();
  result.topRightCorner<3, 1>() = axes * moved;
  return result;
}

/// A transform as √E Q √E.
struct Parts {
  Mat4 rigid = Mat4::Identity();  // E
  Mat4 scale_log = Mat4::Zero();  // log Q
  bool scales = false, mirrors = false;
};

Parts parts_of(const Mat4& transform, const Vec3& position) {
  Parts parts;
  const Mat3 linear = transform.topLeftCorner<3, 3>();
  parts.mirrors = !(linear.determinant() > 0);
  if (parts.mirrors) return parts;
  const Mat3 rotation = polar(linear).rotation;
  parts.rigid = transform;
  parts.rigid.topLeftCorner<3, 3>() = rotation;
  if (is_rigid(linear)) return parts;
  parts.scales = true;
  parts.rigid.topRightCorner<3, 1>() += linear * position - rotation * position;
  const Mat4 back = half_of(parts.rigid).inverse();
  Mat4 middle = back * transform * back;
  middle.topLeftCorner<3, 3>() =
      (0.5 * (middle.topLeftCorner<3, 3>() + middle.topLeftCorner<3, 3>().transpose())).eval();
  parts.scale_log = symmetric_log(middle);
  return parts;
}

}  // namespace

std::vector<Mat4> reversible_transforms(const SkinWeights& weights, const std::vector<Mat4>& joint_transforms,
                                        const std::vector<Vec3>& positions) {
  std::vector<Parts> parts;
  std::vector<Mat4> rigid;
  for (std::size_t j = 0; j < joint_transforms.size(); ++j) {
    parts.push_back(parts_of(joint_transforms[j], positions[j]));
    rigid.push_back(parts.back().rigid);
  }
  std::vector<Mat4> result = rigging::blended_transforms(weights, rigid);
  for (std::size_t v = 0; v < result.size(); ++v) {
    const auto row = weights.row(static_cast<Index>(v));
    const auto any = [&](bool Parts::*what) {
      return std::any_of(row.begin(), row.end(), [&](const Influence& i) { return parts[i.joint].*what; });
    };
    Mat4 sum = Mat4::Zero();
    if (any(&Parts::mirrors)) {
      for (const Influence& i : row) sum += static_cast<double>(i.weight) * joint_transforms[i.joint];
      result[v] = sum;
    } else if (any(&Parts::scales)) {
      for (const Influence& i : row) sum += static_cast<double>(i.weight) * parts[i.joint].scale_log;
      const Mat4 half = half_of(result[v]);
      result[v] = half * symmetric_exp(sum) * half;
    }
  }
  return result;
}

}  // namespace sinew::pipeline
