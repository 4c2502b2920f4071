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

/// Joints with names, hierarchy and axes as a preset wants them, at the plan's places: +Y along the bone (to the child
/// that continues the chain; of a leaf to its end), +Z the bend axis made perpendicular to it, unless the preset has
/// other axes; right sides true mirror images, with numbers that are the left's but for signs where the plan is
/// symmetric. Where the plan gives no bend axis: see `bone_frames`. Names that would come twice get a number. `mirror`,
/// `role`, `limits`, `end_local` are set. Limits are taken to be in Sinew's own axes and turned into the preset's; with
/// axes of the world they are left out, since they are no box there.
///
/// In centimetres the first node is "Armature", with a scale of a hundredth. A root joint has the model's axes and
/// stands at the model's origin, or, if that is far from there, below the first joint at the height of the lowest one.
/// `Preset::rest` is not looked at. Linear but for names, n log n. \pre parents first, places finite.
BuiltSkeleton build_skeleton(const SkeletonPlan& plan, const Preset& preset);

}  // namespace sinew::rigging
