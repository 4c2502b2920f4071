// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Positions of joints that the caller states, as constraints.

#include <map>
#include <string>
#include <vector>

#include "sinew/core/template.h"
#include "sinew/rigging/anatomy/anchors.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// Positions in model space, by the name or role of a joint.
using StatedPlaces = std::map<std::string, Vec3>;

/// A joint of a template by its name or its role; kNone if there is none.
Index find_joint(const Template& skeleton_template, const std::string& name);

/// Removes templates that lack a stated joint: they are not what the body is. \throws Error that lists what each
/// template lacks if none is left.
void keep_templates_with(std::vector<Template>& templates, const StatedPlaces& hints, const StatedPlaces& given);

/// \throws Error if the plan lacks a hinted joint: no hint is dropped in silence.
void check_hints_used(const SkeletonPlan& plan, const StatedPlaces& hints);

/// Moves or adds the hinted joints that a plan has elsewhere or not at all: those of chains that were found after the
/// hints were honoured, and those of limbs that were not found. A limb that is added continues by the template's
/// proportions. `mirror`: partners too, across the plane of the plan.
void settle_hints(SkeletonPlan& plan, const Template& skeleton_template, const StatedPlaces& hints, bool mirror);

/// The stated positions in the interior's frame.
Anchors anchors_of(const Template& skeleton_template, const StatedPlaces& places, const Interior& interior);

/// Whether anchors of both sides, or of the middle, are within `tolerance` of each other's mirror images.
bool are_symmetric(const Anchors& anchors, const Template& skeleton_template, const SkeletonPlan& plan,
                   const Interior& interior, double tolerance);

/// Adds the mirror image, across the plane of the plan, of each anchor whose partner has none.
void mirror_anchors(Anchors& anchors, const Template& skeleton_template, const SkeletonPlan& plan,
                    const Interior& interior);

/// The joints of a plan as a template of their own shape, in the interior's frame, with the limbs of another template;
/// and where they are. For `anchor_joints` on plans that were not read off profiles of limbs.
struct PlanAnatomy {
  Template own;
  Anatomy anatomy;
};
PlanAnatomy anatomy_of(const SkeletonPlan& plan, const Template& skeleton_template, const Interior& interior);

}  // namespace sinew::rigging
