// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/follow.h"

#include <Eigen/SVD>

namespace sinew::rigging {

Vec3 moved_along(const Template& skeleton_template, const Mat3& turn, const std::vector<Vec3>& places,
                 const std::vector<Index>& joints, const Vec3& point) {
  double sum = 0;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  std::vector<double> weights;
  for (const Index j : joints) {
    const double w = 1 / ((skeleton_template.joints[j].position - point).squaredNorm() + 1e-4);
    weights.push_back(w);
    sum += w;
    from += w * skeleton_template.joints[j].position;
    to += w * (turn * places[j]);
  }
  from /= sum;
  to /= sum;
  Mat3 covariance = Mat3::Zero();
  double spread = 0;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Vec3 p = skeleton_template.joints[joints[i]].position - from;
    const Vec3 q = turn * places[joints[i]] - to;
    covariance += weights[i] * q * p.transpose();
    spread += weights[i] * p.squaredNorm();
  }
  const Eigen::JacobiSVD<Mat3> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vec3 sign(1, 1, svd.matrixU().determinant() * svd.matrixV().determinant() < 0 ? -1 : 1);
  const Mat3 rotation = svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
  const double scale = svd.singularValues().dot(sign) / spread;
  return turn.transpose() * (to + scale * (rotation * (point - from)));
}

}  // namespace sinew::rigging
