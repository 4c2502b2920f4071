// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/pose_limits.h"
#include "sinew/measure/surface_compare.h"

namespace sinew::pipeline {

/// What is left of a correction near one joint.
struct ReducedJoint {
  Index joint = kNone;
  double kept = 1;  ///< Share of the correction in the poses of that joint that is kept, from 0 to 1.
};

/// How far a correction may go so that it never makes the surface worse.
struct CorrectionLimits {
  deform::PoseLimits limits;
  std::vector<ReducedJoint> reduced;  ///< Joints that keep less than all of it, by joint.
};

/// Finds the limits of a corrected deformer: poses joints through their range of motion (`motion::range_of_motion`),
/// one at a time, compares the corrected surface with that of the base (`measure::SurfaceCase`), and lowers the factors
/// of vertices where the corrected one is worse: an edge is stretched more, skin is folded more often, rougher, or
/// passes through skin more, shells come apart, or the joint keeps less of its volume. Factors change slowly along the
/// surface, the more so the larger the correction is. It ends when no pose is worse. If that takes too long, what is
/// left of the correction in a pose is given up. With `thorough`, poses half-way between those are tried as well, and
/// all poses once more with the factors that come of all samples together.
///
/// `from` is what the correction starts from: the base itself, or what is left of a method without the correction that
/// the factors reduce. Without `keep_volume` the volume does not count. The cost
/// is three frames for each pose, one or two hundred in all, and a few passes over what the correction moves. The same
/// factors for any number of threads. \throws Cancelled.
CorrectionLimits limit_correction(const Rig& rig, const deform::Deformer& base, const deform::Deformer& from,
                                  const deform::Deformer& corrected, const measure::SurfaceLimits& limits = {},
                                  const Progress& progress = {}, bool keep_volume = true, bool thorough = true);

/// How much of the twists of joints may be spread.
struct TwistLimits {
  std::vector<float> factors;  ///< Per joint.
  std::vector<ReducedJoint> reduced;
};

/// Makes a deformer that spreads twists by a factor per joint.
using MakeTwisted = std::function<std::unique_ptr<deform::Deformer>(std::span<const float> factors)>;

/// The same for twists: lowers the factors of joints, from those given on, until no pose of such a joint is worse than
/// by the base. Linear blending collapses twisted skin, so folds, turned faces and intersections count together, and a
/// spread twist may stretch the skin by up to 1.25 times as much. Five deformers at most, and a frame of each for every
/// pose of the joints in question.
TwistLimits limit_twists(const Rig& rig, const deform::Deformer& base, std::vector<float> factors,
                         const MakeTwisted& make, const Progress& progress = {});

/// A finding for people and reports that counts the joints that keep less than three quarters of the correction of
/// `method`, and names the eight that keep least; none if there are no such joints.
Findings describe(std::vector<ReducedJoint> reduced, const Skeleton& skeleton, std::string_view method);

/// The pose in which a character is bound, with drivers at rest: what poses of the range of motion start from.
ModelPose bound_model_pose(const Rig& rig);

/// Which joints move any skin.
std::vector<char> moving_joints(const Rig& rig);

}  // namespace sinew::pipeline
