// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"
#include "tests/support/scalar_skinning.h"

namespace sinew::test {

/// The twists of a pose, joint by joint, in the joints' own frames: local rotations split into swing and twist.
struct ScalarTwists {
  std::vector<double>
      angle_rad;               ///< Per joint of the skeleton, about the bone that ends there; 0 for those without one.
  std::vector<Mat4> twisted;   ///< Ω: per joint of the skeleton; of one that no segment names that of the joint above.
  std::vector<Mat4> matrices;  ///< M: binding to posed.
};

/// For rigid bind matrices (frame to model space) and rigid poses. `expected_rad` says which of its full turns a twist
/// has, per joint; empty for twists within half a turn.
ScalarTwists scalar_twists(const Skeleton& skeleton, const std::vector<Segmentation::Segment>& segments,
                           const std::vector<Mat4>& bind, const ModelPose& pose,
                           const std::vector<double>& expected_rad = {});

/// A point of the bone of that number, with that share of its twist, before it is blended: y of the method.
Vec3 scalar_twisted_point(const ScalarTwists& twists, const std::vector<Segmentation::Segment>& segments,
                          const std::vector<Mat4>& bind, Index bone, double share, const Vec3& v);

/// Skinning with spread twists, straight from the formulas: y by the share of each vertex, then Σ w M Ω⁻¹ y. Normals by
/// the gradient of the share, if there is one for each vertex, and by the cofactors of Σ w M Ω⁻¹ or by that itself.
/// \pre one skin, all parts of it; `share` for each vertex.
Posed scalar_twist_safe(const Rig& rig, const Segmentation& segmentation, const ModelPose& pose,
                        const std::vector<double>& expected_rad, const std::vector<double>& share,
                        const std::vector<Vec3>& gradient = {}, bool cofactors = false);

}  // namespace sinew::test
