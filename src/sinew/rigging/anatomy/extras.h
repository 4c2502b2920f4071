// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/template.h"
#include "sinew/rigging/anatomy/protrusions.h"
#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/embed/interior.h"

namespace sinew::rigging {

/// The bones of a plan in the interior's frame: from every joint to each child, and of a leaf to its end.
struct PlanBones {
  std::vector<ExplainedBone> bones;
  std::vector<Index> joints;  ///< Per bone: the joint that moves it.
};
PlanBones plan_bones(const SkeletonPlan& plan, const Interior& interior);

/// Gives joints to what sticks out of the body and has none: a tail, ears, a ponytail, horns. What grows from a hand or
/// a foot stays rigid: fingers have `add_fingers`, and the rest is a tool or a shoe.
///
/// - A chain has one joint per 1.2 diameters of its mean section: one for what is short, two to six for what is long.
/// It hangs on the joint
///   that moves the bone it grows from; a fork on the chain it forks from. Its first joint lies half a radius inside
///   the body, and its leaf ends at the tip.
/// - If the template has a limb that the plan lacks, that grows from the same joint (or one next to it), on the same
/// side and about the same way,
///   the chain takes its names, roles and limits, with exactly its joints, at their fractions: a tail, an ear.
/// - Others are called Extra1_1, Extra1_2, …, the longest first. Two that mirror each other across the plan's plane are
/// partners: LeftExtra1_1,
///   RightExtra1_1. If the plan is symmetric they are made exact mirror images, and what lies in the plane is laid
///   exactly there.
///
/// \pre the plan has joints. `mode`: "chains", or "rigid": then nothing is added. Findings: `rigging.extras_rigid` says
/// what got no joints.
Findings add_extras(SkeletonPlan& plan, const Interior& interior, const std::string& mode,
                    const Template& skeleton_template);
/// The same with the protrusions of the plan's bones, for callers that have looked for them.
Findings add_extras(SkeletonPlan& plan, const Interior& interior, const std::string& mode,
                    const Template& skeleton_template, const std::vector<Protrusion>& found);

}  // namespace sinew::rigging
