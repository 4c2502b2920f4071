// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"
#include "sinew/deform/curves/joint_poses.h"

namespace sinew::deform {

/// Displacements at rest that example shapes give in any pose: all of an example's in its own pose, none at rest, and
/// a mean by the distance of poses between them. Distances are those of joint rotations that differ between examples.
class PoseShapes {
 public:
  /// \pre examples have the vertices of the rig's mesh.
  PoseShapes(const Rig& rig, std::span<const std::vector<Vec3>> examples);

  /// Weights of the examples in a pose; what is missing to 1 is that of rest.
  std::vector<double> weights(const ModelPose& pose) const;

  /// \pre one element per vertex.
  void evaluate(const ModelPose& pose, std::span<Vec3f> displacements) const;

 private:
  std::vector<Quat> turns_of(const std::vector<Mat4>& joints) const;
  double distance(const std::vector<Quat>& a, const std::vector<Quat>& b) const;

  std::vector<Index> parents_;
  std::vector<char> counts_;                // Per joint: whether examples turn it.
  std::vector<std::vector<Quat>> poses_;    // Rest first; per joint relative to its parent.
  std::vector<std::vector<Vec3f>> shapes_;  // Per example.
};

}  // namespace sinew::deform
