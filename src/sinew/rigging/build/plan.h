// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"
#include "sinew/core/skeleton.h"

namespace sinew::rigging {

/// A joint as placed by rigging: its position and its meaning. Names, axes and other conventions of a program come from
/// a preset.
struct PlannedJoint {
  std::string name;               ///< From the template: "LeftUpperArm"; of an extra part: "Extra1_1".
  std::string role;               ///< "left_upper_arm"; empty for extra parts.
  Index parent = kNone;           ///< Parents first.
  Vec3 position = Vec3::Zero();   ///< Model space.
  std::optional<Vec3> end;        ///< Where the segment of a leaf ends.
  Vec3 bend_axis = Vec3::Zero();  ///< Model space: what it bends about, a positive turn being the natural bend; zero
                                  ///< where nothing says.
  Index partner = kNone;
  std::optional<RotationLimits> limits;
  std::string origin;     ///< How it was located: "searched", "section", "fraction", "bend", "given", "hint",
                          ///< "mirrored", "extra", "derived".
  double confidence = 1;  ///< 0 to 1.
};

/// A planned skeleton, in the pose of the mesh.
struct SkeletonPlan {
  std::string template_name;
  std::vector<PlannedJoint> joints;
  Vec3 up = Vec3::UnitY(), forward = Vec3::UnitZ(), left = Vec3::UnitX();  ///< Of the body, in model space.
  bool symmetric = false;            ///< Partners are mirror images of each other.
  Vec3 mirror_point = Vec3::Zero();  ///< On the plane; its normal is `left`.

  Index find_role(const std::string& role) const;  ///< kNone if there is none.
};

/// The plan of a body that was rotated and moved.
SkeletonPlan turned_plan(SkeletonPlan plan, const Mat4& turn);

}  // namespace sinew::rigging
