// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/templates/preset.h"

namespace sinew::rigging {

struct BuiltSkeleton {
  Skeleton skeleton;  ///< Rest pose = the plan's pose. Every joint of the plan is `deforming`; unit node, root and ends
                      ///< are not.
  std::vector<Index> joints;  ///< Per joint of the plan: that of the skeleton.
};

/// Builds joints at the positions of the plan, with the names, hierarchy and axes of a preset. Unless the preset has
/// other axes, +Y points along the bone (to the child that continues the chain, or from a leaf to its end), and +Z is
/// the bend axis made perpendicular to it. Right sides are true mirror images; in a symmetric plan their numbers equal
/// those of the left except for signs. For joints without a bend axis see `bone_frames`. Duplicate names get a number.
/// `mirror`, `role`, `limits` and `end_local` are set. Limits are expected in Sinew's own axes and converted to those
/// of the preset; with world axes they are left out, because they are not a box there.
///
/// In centimetres the first node is "Armature", with a scale of a hundredth. A root joint has the axes of the model. It
/// is located at the origin of the model or, if the origin is far from the body, below the first joint at the height of
/// the lowest one. `Preset::rest` is ignored. Linear except for names, n log n. \pre parents come first, positions are
/// finite.
BuiltSkeleton build_skeleton(const SkeletonPlan& plan, const Preset& preset);

/// Per joint of a plan, its axes in model space by the conventions of a preset, as columns: those that
/// `build_skeleton` gives it.
std::vector<Mat3> preset_frames(const SkeletonPlan& plan, const Preset& preset);

/// Where a root joint is located: at the origin of the model or, if that is far from the body, below the first joint at
/// the height of the lowest one.
Vec3 root_position(const SkeletonPlan& plan);

}  // namespace sinew::rigging
