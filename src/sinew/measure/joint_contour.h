// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// How far skin sticks out where a joint bends.

#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"

namespace sinew::measure {

/// Skin near a joint, for measuring what sticks out there.
class JointContour {
 public:
  /// The joint between a part of the skin and the one above, by the joints that move them. `radius` is that of the
  /// limb. `frames` are the joints at binding.
  JointContour(const Rig& rig, const std::vector<Mat4>& frames, Index joint, Index above, double radius);

  /// Whether there is skin between the parts, and of both parts beside it.
  bool usable() const;

  struct Protrusion {
    double largest = 0, mean = 0;  ///< Distances from the convex profile, in radii.
  };
  /// How far the skin between the parts is outside of the convex profile of the two parts, which are moved rigidly:
  /// their hull near the joint, by its extent along 400 directions. A single point that sticks out between two of them
  /// reads up to 0.05 radii too low.
  Protrusion measure(const ModelPose& pose, const std::vector<Vec3f>& positions) const;

  /// The mean distance of the skin between the parts from the bones before and after the joint, relative to rest.
  double thickness(const ModelPose& pose, const std::vector<Vec3f>& positions) const;

 private:
  const Rig& rig_;
  std::vector<Mat4> inverse_bind_;
  Index joint_, above_;
  double radius_;
  std::vector<Index> own_, other_, between_;
  Vec3 far_ = Vec3::Zero();  ///< The end of the bone after the joint, in the frame of the joint.
  std::vector<Vec3> directions_;
};

}  // namespace sinew::measure
