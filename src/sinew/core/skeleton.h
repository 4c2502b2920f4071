// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/driver.h"
#include "sinew/core/error.h"
#include "sinew/core/math.h"
#include "sinew/core/rotation.h"

namespace sinew {

/// The allowed rotation of a joint from rest: a box of rotation vectors in the joint's frame.
struct RotationLimits {
  Vec3 lower_rad = Vec3::Constant(-kPi);
  Vec3 upper_rad = Vec3::Constant(kPi);
};

struct Joint {
  std::string name;
  Index parent = kNone;
  Transform rest;                 ///< Relative to the parent.
  Mat3 shear = Mat3::Identity();  ///< The shear that `rest` cannot represent: local = T·R·S·shear, in every pose.
  bool deforming = false;         ///< Whether a skin lists the joint.
  bool swings = false;            ///< A spring of the file moves it at run time: hair, ribbons, tails.
  std::string role;               ///< "end", "helper", "control", "socket", a template's role, or empty.
  Index mirror = kNone;           ///< Its partner on the other side.
  std::optional<RotationLimits> limits;
  /// The end of a leaf's own segment, in the joint's frame; empty if unknown.
  std::optional<Vec3> end_local;
  std::optional<Driver> driver;  ///< Moves a helper joint.
  Index source = kNone;          ///< The index of this node in the file; kNone for a joint that is not in the file.
};

/// All nodes from the scene's root to the joints, parents before children. A *bone* is the segment from a joint to one
/// child. A leaf owns an *end* segment.
struct Skeleton {
  std::vector<Joint> joints;

  Index size() const { return static_cast<Index>(joints.size()); }
  bool empty() const { return joints.empty(); }
  /// Returns the first joint of that name, or kNone.
  Index find(std::string_view name) const;
  std::vector<std::vector<Index>> children() const;
};

/// Returns the model-space matrices of all joints, given one local transform per joint. The cost is linear.
std::vector<Mat4> model_matrices(const Skeleton& skeleton, const std::vector<Transform>& local);

/// Returns the model-space matrices of all joints in the rest pose.
std::vector<Mat4> rest_matrices(const Skeleton& skeleton);

/// Returns the problems of a skeleton: parents listed after children, values that are not finite, quaternions that are
/// not of unit length, mirror partners that do not point back. Empty if the skeleton is valid.
Findings validate(const Skeleton& skeleton);

}  // namespace sinew
