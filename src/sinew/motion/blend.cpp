// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/blend.h"

#include <Eigen/Eigenvalues>

#include <algorithm>

#include "sinew/core/bone_axis.h"
#include "sinew/core/error.h"

namespace sinew::motion {
namespace {

// The unit quaternion nearest to all, by weight: the largest eigenvector of Σ w q qᵀ.
class QuaternionMean {
 public:
  void add(const Quat& q, double weight) { sum_ += weight * q.coeffs() * q.coeffs().transpose(); }
  Quat result() const {
    const Eigen::SelfAdjointEigenSolver<Mat4> solver(sum_);
    Quat q;
    q.coeffs() = solver.eigenvectors().col(3);
    if (q.w() < 0) q.coeffs() = -q.coeffs();
    return q.normalized();
  }

 private:
  Mat4 sum_ = Mat4::Zero();
};

// The rotation a joint has without its twist; the twist is in Pose::twist_rad.
Quat swing_of(const Skeleton& skeleton, const Pose& pose, Index j, const Vec3& axis) {
  return delta_rotation(skeleton.joints[j].rest, pose.local[j]) * Quat(Eigen::AngleAxisd(-pose.twist_rad[j], axis));
}

Quat joined(const Skeleton& skeleton, Index j, const Quat& swing, double twist_rad, const Vec3& axis) {
  return (skeleton.joints[j].rest.rotation * swing * Quat(Eigen::AngleAxisd(twist_rad, axis))).normalized();
}

void add_morphs(Pose& result, const Pose& pose, double weight) {
  if (result.morph_weights.size() < pose.morph_weights.size()) result.morph_weights.resize(pose.morph_weights.size());
  for (std::size_t p = 0; p < pose.morph_weights.size(); ++p) {
    auto& sum = result.morph_weights[p];
    if (sum.size() < pose.morph_weights[p].size()) sum.resize(pose.morph_weights[p].size(), 0.0);
    for (std::size_t m = 0; m < pose.morph_weights[p].size(); ++m) sum[m] += weight * pose.morph_weights[p][m];
  }
}

}  // namespace

Pose blend(const Skeleton& skeleton, const Pose& a, const Pose& b, double t) {
  const std::size_t count = skeleton.joints.size();
  if (a.local.size() != count || b.local.size() != count)
    throw Error("Poses can only be blended when they are of the same skeleton.");
  const bool twists = !a.twist_rad.empty() && !b.twist_rad.empty();
  const std::vector<Vec3> axes = twists ? bone_axes(skeleton) : std::vector<Vec3>();
  Pose result;
  result.local.resize(count);
  if (twists) result.twist_rad.resize(count);
  for (Index j = 0; j < count; ++j) {
    Transform& local = result.local[j];
    local.translation = (1 - t) * a.local[j].translation + t * b.local[j].translation;
    local.scale = (1 - t) * a.local[j].scale + t * b.local[j].scale;
    if (!twists) {
      local.rotation = slerp(a.local[j].rotation, b.local[j].rotation, t);
      continue;
    }
    result.twist_rad[j] = (1 - t) * a.twist_rad[j] + t * b.twist_rad[j];
    const Quat swing = slerp(swing_of(skeleton, a, j, axes[j]), swing_of(skeleton, b, j, axes[j]), t);
    local.rotation = joined(skeleton, j, swing, result.twist_rad[j], axes[j]);
  }
  add_morphs(result, a, 1 - t);
  add_morphs(result, b, t);
  return result;
}

Pose blend(const Skeleton& skeleton, std::span<const Pose> poses, std::span<const double> weights) {
  const std::size_t count = skeleton.joints.size();
  double total = 0;
  bool twists = true;
  if (poses.size() != weights.size()) throw Error("Each pose of a blend needs a weight.");
  for (std::size_t p = 0; p < poses.size(); ++p) {
    if (poses[p].local.size() != count) throw Error("Poses can only be blended when they are of the same skeleton.");
    if (!(weights[p] >= 0)) throw Error("Weights of a blend must not be below zero.");
    total += weights[p];
    twists = twists && !poses[p].twist_rad.empty();
  }
  if (!(total > 0)) throw Error("At least one weight of a blend must be above zero.");
  const std::vector<Vec3> axes = twists ? bone_axes(skeleton) : std::vector<Vec3>();
  Pose result;
  result.local.resize(count);
  if (twists) result.twist_rad.assign(count, 0);
  for (Index j = 0; j < count; ++j) {
    Transform& local = result.local[j];
    local.scale = Vec3::Zero();
    QuaternionMean mean;
    for (std::size_t p = 0; p < poses.size(); ++p) {
      const double w = weights[p] / total;
      local.translation += w * poses[p].local[j].translation;
      local.scale += w * poses[p].local[j].scale;
      if (twists) result.twist_rad[j] += w * poses[p].twist_rad[j];
      mean.add(twists ? swing_of(skeleton, poses[p], j, axes[j]) : poses[p].local[j].rotation, w);
    }
    local.rotation = twists ? joined(skeleton, j, mean.result(), result.twist_rad[j], axes[j]) : mean.result();
  }
  for (std::size_t p = 0; p < poses.size(); ++p) add_morphs(result, poses[p], weights[p] / total);
  return result;
}

}  // namespace sinew::motion
