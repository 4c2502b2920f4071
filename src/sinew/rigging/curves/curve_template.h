// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/core/template.h"
#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/curves/curve_skeleton.h"

namespace sinew::rigging {

/// A template compared with the middle lines of a body.
struct CurveTemplateMatch {
  std::size_t index = 0;         ///< Of the template.
  double cost = 0;               ///< 0 for a body of the template's proportions.
  std::vector<Index> chains;     ///< Per limb of the template: index into `CurveSkeleton::limbs`; kNone if missing.
  Index surplus = 0;             ///< Chains that belong to no limb.
  Mat3 turn = Mat3::Identity();  ///< From the template's axes to those of the body.
  double scale = 1;
  bool sides_tie = false;  ///< Left and right could be exchanged: the body fits both ways.
};

/// A match with a higher cost is none. Right templates cost 0.16 to 0.38 on synthetic bodies, wrong ones 0.45 or more.
constexpr double kMostTemplateCost = 0.42;

/// Finds which template a body has, and which limb is which, from curves alone: the paper leaves this choice to its
/// user.
///
/// Compares the lengths of limbs, and the distances between roots and tips of each two limbs, all relative to how far
/// they are spread. These do not depend on how the body is turned. A missing limb costs 1, a missing tail or ear 0.15,
/// a chain that is left over 0.3; the cost is the sum over the number of limbs that the template needs. Assignments are
/// searched completely, with bounds. Left and right are those for which the template, turned and scaled, is nearer; if
/// both are as near, those nearer to the axes of the model. Nothing without chains, with more than 9, or if all cost
/// more than `most_cost`.
std::optional<CurveTemplateMatch> choose_template(const CurveSkeleton& skeleton, std::span<const Template> templates,
                                                  double most_cost = kMostTemplateCost);

/// A plan from curves alone, and its joints in every pose.
struct CurvePlan {
  SkeletonPlan plan;                     ///< In the first pose.
  std::vector<std::vector<Vec3>> posed;  ///< Per pose: the position of each joint.
};

/// Places the joints of a template on curves, as the paper's section 5. Limbs begin at their seam curves ("seam").
/// Their other joints are where the limb bends, in the pose in which it bends most ("bend"), or at the template's
/// fractions between these ("ratio"). Joints of the trunk beside two limbs form the template's triangle with them
/// ("triangle"); those between are at the template's fractions of the trunk's middle line. Other joints follow their
/// neighbours
/// ("derived"). Limbs of the template that the body does not have are left out. \pre the match is that of the first
/// pose, and all poses are shapes of the mesh on which the curves were found.
CurvePlan plan_on_curves(const Template& skeleton_template, const CurveTemplateMatch& match, const CurveSet& curves,
                         std::span<const std::vector<Vec3>> poses, BendRule rule = BendRule::kWindow);

/// The joints between the root and where the neck or the last limbs begin.
std::vector<Index> trunk_joints(const Template& skeleton_template);

}  // namespace sinew::rigging
