// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/core/mesh.h"
#include "sinew/core/template.h"
#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/curves/curve_skeleton.h"

namespace sinew::rigging {

/// A limb of a template and the chain of curves that it runs along.
struct LimbOnCurves {
  std::size_t limb = 0;   ///< Index into `Template::limbs`.
  std::size_t chain = 0;  ///< Index into `CurveSkeleton::limbs`.
  double off = 0;         ///< Mean distance of its joints from the chain, in radii of the limb.
};

/// Where curves place a joint of a limb.
struct JointOnCurves {
  Index joint = kNone;  ///< Of the plan.
  Vec3 position = Vec3::Zero();
  double bend_rad = 0;  ///< The largest bend there in any pose; 0 without one.
  Index pose = 0;       ///< The pose of that bend.
  double off = 0;       ///< Distance of the plan's joint from the middle line, in radii of the limb there.
  bool last = false;    ///< The last joint of its limb, such as a wrist or an ankle.
};

/// A plan read again from the curves.
struct CurvePlacement {
  std::vector<LimbOnCurves> limbs;
  std::vector<JointOnCurves> joints;
};

/// Finds for each limb of a planned body the chain of curves along it, and for the inner joints of these limbs where
/// the chain bends. `poses` are shapes of one mesh with the same vertices; the first is that of the plan. A joint is
/// taken from the pose in which it bends most. Joints without a bend are on the middle line, at the place nearest to
/// that of the plan. First joints of limbs are inside the body and have no place on curves.
CurvePlacement read_on_curves(const SkeletonPlan& plan, const Template& skeleton_template, const CurveSet& curves,
                              std::span<const std::vector<Vec3>> poses, BendRule rule = BendRule::kWindow);

/// How well the joints of limbs fit the shape: 0 to 1 each.
struct PlacementScore {
  double inside = 1;     ///< Share of joints inside the mesh.
  double centred = 1;    ///< 1 for joints on the middle line of their limb, 0 for those a radius away.
  double symmetric = 1;  ///< Agreement of the lengths of partners.
  double total() const { return inside * (0.5 + 0.25 * centred + 0.25 * symmetric); }
};
PlacementScore score_placement(const SkeletonPlan& plan, const CurvePlacement& placement, const CurveSkeleton& skeleton,
                               const Mesh& mesh);

/// Which joints curves may move: those where the limb bends clearly, or that are far from its middle line.
struct CurveMoveRule {
  double least_bend_rad = 0;
  double most_off = 0;      ///< In radii of the limb.
  bool last_joints = true;  ///< Whether the last joints of limbs move: hands and feet bend at other places as well.
};

/// Moves joints of a plan to where curves place them. Partners of a symmetric plan stay mirror images; given and hinted
/// joints stay, and so does a joint whose new place would be outside the mesh. The origin becomes "bend" or "curve".
/// Returns the names of the moved joints.
std::vector<std::string> move_to_curves(SkeletonPlan& plan, const CurvePlacement& placement, const Mesh& mesh,
                                        const CurveMoveRule& rule);

/// A skeleton that follows the curves alone: the root in the middle of the trunk, a chain for each limb with joints at
/// its seam and its bends, and one in the middle of a long limb without bends. Empty without limbs.
SkeletonPlan plan_from_curves(const CurveSet& curves, std::span<const Vec3> positions,
                              BendRule rule = BendRule::kWindow);

}  // namespace sinew::rigging
