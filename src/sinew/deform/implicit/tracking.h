// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"
#include "sinew/deform/implicit/implicit_skin.h"

namespace sinew::deform {

/// The pose a share of the way from one to another: joints turn about their parents by the shortest way.
ModelPose pose_between(std::span<const Index> parents, const ModelPose& from, const ModelPose& to, double share);

/// How many steps from one pose to another so that no joint turns more than 5° against its parent in a step; at
/// most 36.
int steps_between(std::span<const Index> parents, const ModelPose& from, const ModelPose& to);

/// Keeps the shape of the skin as rigid as possible, within its tangent planes: O. Sorkine, M. Alexa,
/// "As-rigid-as-possible surface modeling", 2007, as in R. Vaillant et al., "Robust iso-surface tracking for
/// interactive character skinning", 2014. `normals` are gradients of the field, of any length; vertices without one
/// stay.
class TangentialRelaxation {
 public:
  explicit TangentialRelaxation(const ImplicitSkin& skin) : skin_(skin) {}

  void run(int rounds, float strength, std::span<const Vec3f> normals, std::span<Vec3f> positions);

 private:
  void find_rotations(std::span<const Vec3f> positions);

  const ImplicitSkin& skin_;
  std::vector<Eigen::Matrix3f> rotations_;
  std::vector<Vec3f> next_;
};

}  // namespace sinew::deform
