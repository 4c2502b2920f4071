// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/pose_shapes.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/curves/vertex_motion.h"

namespace sinew::deform {
namespace {

/// A joint whose rotation differs by less does not tell poses apart.
constexpr double kLeastTurn_rad = 0.05;

Mat3 rotation_part(const Mat4& matrix) {
  const Mat3 linear = matrix.topLeftCorner<3, 3>();
  return std::abs(linear.determinant()) > 1e-12 ? polar(linear).rotation : Mat3(Mat3::Identity());
}

}  // namespace

PoseShapes::PoseShapes(const Rig& rig, std::span<const std::vector<Vec3>> examples) {
  for (const Joint& joint : rig.skeleton.joints) parents_.push_back(joint.parent);
  std::vector<Mat4> frames = bind_frames(rig);
  poses_.push_back(turns_of(frames));
  JointPoseOptions posed_by_joints;
  posed_by_joints.fixed_bones = true;
  const JointPoses joints = fit_joint_poses(rig, examples, posed_by_joints);
  const MotionRows rows = motion_rows(rig);
  for (std::size_t e = 0; e < examples.size(); ++e) {
    const std::vector<Mat4> motions = joints.motions(joints.poses[e]);
    std::vector<FloatMotion> moved;
    std::vector<Mat4> posed;
    for (Index j = 0; j < parents_.size(); ++j) {
      moved.push_back(float_motion(motions[j]));
      posed.push_back(motions[j] * frames[j]);
    }
    poses_.push_back(turns_of(posed));
    std::vector<Vec3f>& shape = shapes_.emplace_back(examples[e].size());
    parallel_for(shape.size(), [&](std::size_t v) {
      shape[v] =
          VertexMotion(rows.of(v), moved).undo(examples[e][v].cast<float>()) - rig.mesh.positions[v].cast<float>();
    });
  }
  counts_.assign(parents_.size(), 0);
  for (Index j = 0; j < parents_.size(); ++j)
    for (std::size_t e = 1; e < poses_.size(); ++e)
      if (joints.fitted[j] && poses_[e][j].angularDistance(poses_[0][j]) > kLeastTurn_rad) counts_[j] = 1;
}

std::vector<Quat> PoseShapes::turns_of(const std::vector<Mat4>& joints) const {
  std::vector<Quat> turns;
  for (Index j = 0; j < parents_.size(); ++j) {
    const Mat3 own = rotation_part(joints[j]);
    const Mat3 parent = parents_[j] == kNone ? Mat3(Mat3::Identity()) : rotation_part(joints[parents_[j]]);
    turns.emplace_back(Mat3(parent.transpose() * own));
  }
  return turns;
}

double PoseShapes::distance(const std::vector<Quat>& a, const std::vector<Quat>& b) const {
  double sum = 0;
  for (Index j = 0; j < counts_.size(); ++j)
    if (counts_[j]) sum += std::pow(a[j].angularDistance(b[j]), 2);
  return sum;
}

std::vector<double> PoseShapes::weights(const ModelPose& pose) const {
  const std::vector<Quat> now = turns_of(pose.joints);
  std::vector<double> nearness(poses_.size(), 0);
  double total = 0;
  for (std::size_t e = 0; e < poses_.size(); ++e) {
    const double d = distance(now, poses_[e]) + 1e-12;
    nearness[e] = 1 / (d * d);
    total += nearness[e];
  }
  std::vector<double> result;
  for (std::size_t e = 1; e < poses_.size(); ++e) result.push_back(nearness[e] / total);
  return result;
}

void PoseShapes::evaluate(const ModelPose& pose, std::span<Vec3f> displacements) const {
  const std::vector<double> share = weights(pose);
  parallel_for(displacements.size(), [&](std::size_t v) {
    Vec3f sum = Vec3f::Zero();
    for (std::size_t e = 0; e < shapes_.size(); ++e) sum += static_cast<float>(share[e]) * shapes_[e][v];
    displacements[v] = sum;
  });
}

}  // namespace sinew::deform
