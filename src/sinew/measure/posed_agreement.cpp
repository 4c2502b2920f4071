// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/posed_agreement.h"

#include <cassert>
#include <cmath>

#include "sinew/deform/blend/linear.h"
#include "sinew/motion/resolve.h"

namespace sinew::measure {

std::vector<Pose> turning_poses(const Rig& rig, const SkinWeights& other, double angle_rad,
                                std::vector<Index>* joints) {
  std::vector<char> moves(rig.skeleton.size(), 0);
  for (const SkinWeights* weights : {&rig.weights, &other})
    for (Index v = 0; v < weights->row_count(); ++v)
      for (const Influence& influence : weights->row(v))
        if (influence.weight > 0) moves[influence.joint] = 1;
  const Pose rest = rest_pose(rig);
  std::vector<Pose> poses;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    if (moves[j] == 0) continue;
    for (int axis = 0; axis < 3; ++axis) {
      Pose pose = rest;
      pose.local[j].rotation = pose.local[j].rotation * rotation_exp(angle_rad * Vec3::Unit(axis));
      poses.push_back(std::move(pose));
      if (joints != nullptr) joints->push_back(j);
    }
  }
  return poses;
}

PosedAgreement posed_agreement(const Rig& rig, const SkinWeights& other, const Progress& progress) {
  assert(other.row_count() == rig.mesh.vertex_count());
  PosedAgreement result;
  std::vector<Index> joints;
  const std::vector<Pose> poses = turning_poses(rig, other, 0.785398163397448, &joints);
  Rig second = rig;
  second.weights = other;
  const ModelPose rest = motion::resolve(rig.skeleton, rest_pose(rig));
  const std::vector<Vec3> still_a = deform::linear_positions(rig, rest);
  const std::vector<Vec3> still_b = deform::linear_positions(second, rest);
  const double least = std::pow(1e-6 * rig.mesh.size(), 2);
  double sum = 0, largest = 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    progress.step("comparing weights", static_cast<double>(i) / static_cast<double>(poses.size()));
    const ModelPose pose = motion::resolve(rig.skeleton, poses[i]);
    const std::vector<Vec3> a = deform::linear_positions(rig, pose);
    const std::vector<Vec3> b = deform::linear_positions(second, pose);
    for (std::size_t v = 0; v < a.size(); ++v) {
      if ((a[v] - still_a[v]).squaredNorm() <= least && (b[v] - still_b[v]).squaredNorm() <= least) continue;
      const double squared = (a[v] - b[v]).squaredNorm();
      sum += squared;
      ++count;
      if (squared > largest) largest = squared, result.joint = joints[i];
    }
  }
  result.poses = static_cast<Index>(poses.size());
  result.max = std::sqrt(largest);
  result.rms = count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
  return result;
}

}  // namespace sinew::measure
