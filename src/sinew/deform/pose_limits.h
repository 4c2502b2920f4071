// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"

namespace sinew::deform {

/// How far a correction may go at each vertex, by the pose. It is known for sampled poses, in each of which one joint
/// is rotated. Between them it is interpolated in the space of that joint's rotations, smoothly: with weights 1 / (d² +
/// ε²)² of the distance d between rotation vectors, where an unrotated joint allows everything. If several joints are
/// rotated, their factors are multiplied. The result depends on the pose alone, and does not jump with it.
class PoseLimits {
 public:
  /// `start` are the joints (joint to model space) from which rotations are counted.
  PoseLimits(const Skeleton& skeleton, std::vector<Mat4> start, Index vertices);

  /// Adds a sampled pose, in which that joint is rotated: by how much the correction of some vertices is reduced, from
  /// 0 to 1. Vertices that are not listed keep all of it. \pre the vertices increase.
  void add(Index joint, const std::vector<Mat4>& pose, std::vector<Index> vertices, std::vector<float> reductions);

  /// Whether any pose reduces anything.
  bool any() const;
  /// The vertices that any pose reduces, increasing.
  std::vector<Index> vertices() const;
  Index vertex_count() const { return vertex_count_; }

  struct Scratch {
    std::vector<Mat3> rotations;
    std::vector<double> weights;
    std::vector<float> reductions;
  };

  /// One factor per vertex of the mesh, from 0 to 1. Linear in the joints and in the lists of the samples near the
  /// pose.
  void evaluate(const std::vector<Mat4>& pose, Scratch& scratch, std::span<float> factors) const;

  /// Bytes to be kept, and back for the same skeleton and mesh. Damaged bytes give nothing.
  std::vector<std::byte> bytes() const;
  static std::optional<PoseLimits> read(const Skeleton& skeleton, std::vector<Mat4> start, Index vertices,
                                        std::span<const std::byte> bytes);

 private:
  struct Sample {
    Index joint = kNone;
    Vec3 rotation = Vec3::Zero();  ///< Against its parent, as a rotation vector.
    std::vector<Index> vertices;
    std::vector<float> reductions;
  };
  void find_rotations(const std::vector<Mat4>& pose, std::vector<Mat3>& rotations) const;
  Vec3 rotation_of(Index joint, const std::vector<Mat3>& rotations) const;

  std::vector<Index> parents_;
  std::vector<Mat4> inverse_start_;
  Index vertex_count_ = 0;
  std::vector<Sample> samples_;  ///< By joint.
};

}  // namespace sinew::deform
