// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/tracking.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"

namespace sinew::deform {
namespace {

constexpr double kLargestTurn = 5 * kRadPerDegree;
constexpr int kMostSteps = 36;

Mat4 against_parent(std::span<const Index> parents, const ModelPose& pose, std::size_t joint) {
  if (parents[joint] == kNone) return pose.joints[joint];
  return pose.joints[parents[joint]].inverse() * pose.joints[joint];
}

}  // namespace

ModelPose pose_between(std::span<const Index> parents, const ModelPose& from, const ModelPose& to, double share) {
  ModelPose between = to;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    const Decomposed a = decompose(against_parent(parents, from, j)), b = decompose(against_parent(parents, to, j));
    Transform local;
    local.translation = a.transform.translation + share * (b.transform.translation - a.transform.translation);
    local.rotation = slerp(a.transform.rotation, b.transform.rotation, share);
    local.scale = a.transform.scale + share * (b.transform.scale - a.transform.scale);
    Mat4 matrix = local.matrix();
    matrix.topLeftCorner<3, 3>() *= a.shear + share * (b.shear - a.shear);
    between.joints[j] = parents[j] == kNone ? matrix : Mat4(between.joints[parents[j]] * matrix);
    if (j < from.twist_rad.size() && j < to.twist_rad.size())
      between.twist_rad[j] = from.twist_rad[j] + share * (to.twist_rad[j] - from.twist_rad[j]);
  }
  return between;
}

int steps_between(std::span<const Index> parents, const ModelPose& from, const ModelPose& to) {
  double largest = 0;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    const Quat a = decompose(against_parent(parents, from, j)).transform.rotation;
    const Quat b = decompose(against_parent(parents, to, j)).transform.rotation;
    largest = std::max(largest, a.angularDistance(b));
  }
  return std::clamp(static_cast<int>(std::ceil(largest / kLargestTurn - 1e-9)), 1, kMostSteps);
}

void TangentialRelaxation::find_rotations(std::span<const Vec3f> positions) {
  rotations_.resize(positions.size());
  parallel_for(
      positions.size(),
      [&](std::size_t v) {
        Eigen::Matrix3f sum = Eigen::Matrix3f::Zero();
        for (Index i = skin_.rings.offsets[v]; i < skin_.rings.offsets[v + 1]; ++i) {
          const Index w = skin_.rings.items[i];
          sum += (positions[w] - positions[v]) * (skin_.rest[w] - skin_.rest[v]).transpose();
        }
        const Eigen::JacobiSVD<Eigen::Matrix3f> svd(sum, Eigen::ComputeFullU | Eigen::ComputeFullV);
        Eigen::Matrix3f u = svd.matrixU();
        if ((u * svd.matrixV().transpose()).determinant() < 0) u.col(2) *= -1;
        rotations_[v] = u * svd.matrixV().transpose();
      },
      256);
}

void TangentialRelaxation::run(int rounds, float strength, std::span<const Vec3f> normals, std::span<Vec3f> positions) {
  next_.resize(positions.size());
  for (int round = 0; round < rounds; ++round) {
    find_rotations(positions);
    parallel_for(
        positions.size(),
        [&](std::size_t v) {
          next_[v] = positions[v];
          const float squared = normals[v].squaredNorm();
          const Index begin = skin_.rings.offsets[v], end = skin_.rings.offsets[v + 1];
          if (!(squared > 0) || begin == end) return;
          Vec3f target = Vec3f::Zero();
          for (Index i = begin; i < end; ++i) {
            const Index w = skin_.rings.items[i];
            target += positions[w] + 0.5F * ((rotations_[v] + rotations_[w]) * (skin_.rest[v] - skin_.rest[w]));
          }
          Vec3f move = target / static_cast<float>(end - begin) - positions[v];
          move -= normals[v].dot(move) / squared * normals[v];
          next_[v] += strength * move;
        },
        256);
    std::copy(next_.begin(), next_.end(), positions.begin());
  }
}

}  // namespace sinew::deform
