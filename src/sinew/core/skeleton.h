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

/// How far a joint may turn from rest: a box of rotation vectors, in the joint's frame.
struct RotationLimits {
  Vec3 lower_rad = Vec3::Constant(-kPi);
  Vec3 upper_rad = Vec3::Constant(kPi);
};

struct Joint {
  std::string name;
  Index parent = kNone;
  Transform rest;                 ///< Relative to the parent.
  Mat3 shear = Mat3::Identity();  ///< What `rest` cannot say of a sheared matrix: local = T·R·S·shear, in every pose.
  bool deforming = false;         ///< A skin lists it.
  std::string role;               ///< "end", "helper", "control", "socket", a template's role, or empty.
  Index mirror = kNone;           ///< Its partner on the other side.
  std::optional<RotationLimits> limits;
  /// Where a leaf's own segment ends, in the joint's frame; empty when nothing says.
  std::optional<Vec3> end_local;
  std::optional<Driver> driver;  ///< What moves a helper joint.
  Index source = kNone;          ///< The file's own number of this node; kNone for a joint the file does not have.
};

/// Every node from the scene's root to the joints, parents before children. A *bone* is the segment from a joint to one
/// child; a leaf owns an *end* segment.
struct Skeleton {
  std::vector<Joint> joints;

  Index size() const { return static_cast<Index>(joints.size()); }
  bool empty() const { return joints.empty(); }
  /// The first joint of that name, or kNone.
  Index find(std::string_view name) const;
  std::vector<std::vector<Index>> children() const;
};

/// Model-space matrices of all joints for local transforms, one per joint. Linear.
std::vector<Mat4> model_matrices(const Skeleton& skeleton, const std::vector<Transform>& local);

/// The same for the rest pose.
std::vector<Mat4> rest_matrices(const Skeleton& skeleton);

/// What is wrong with a skeleton: parents that do not come first, values that are not finite, quaternions that are not
/// unit length, mirror partners that do not point back. Empty when all is well.
Findings validate(const Skeleton& skeleton);

}  // namespace sinew
