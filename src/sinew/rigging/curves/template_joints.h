// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Joints of a body from those of a template: the equations of the paper's section 5, made definite.

#include <optional>
#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/rigging/curves/curve_skeleton.h"

namespace sinew::rigging {

/// Three joints of a template: two that a body also has, and the one to be placed.
struct TemplateTriple {
  Vec3 first = Vec3::Zero();
  Vec3 second = Vec3::Zero();
  Vec3 sought = Vec3::Zero();
};

/// The third joint of a body whose first two are given.
///
/// If the template's third joint is within 2 % of its line, the body's is at the same fraction of its own line (the
/// paper's equation 1 always takes the middle). Otherwise its distances from the other two have the ratios of the
/// template. The paper's equation 2 states three ratios of which two are independent, so it leaves a circle; here the
/// joint is on that side of the line where the template's is, turned by `turn` from the template's axes to the body's.
Vec3 template_joint(const Vec3& first, const Vec3& second, const TemplateTriple& triple, const Mat3& turn);

/// Distances along a chain at which it has the given fractions of its length.
std::vector<double> at_fractions(const CurveChain& chain, std::span<const double> fractions);

/// Joints of a limb on its chain.
struct MatchedJoint {
  double along = 0;
  std::optional<std::size_t> bend;  ///< The bend that it is at; otherwise it is placed by fractions.
};

/// Assigns bends to joints with the given fractions of the chain, in order: at most `gate` of the length apart, as many
/// as possible, then as near as possible. Joints without a bend are placed between their neighbours that have one, or
/// the chain's ends, in proportion to the fractions. \pre increasing fractions in [0, 1].
std::vector<MatchedJoint> match_bends(const CurveChain& chain, std::span<const CurveBend> bends,
                                      std::span<const double> fractions, double gate = 0.15);

/// The distance along a chain of the same curves in another pose.
double same_place(const CurveChain& from, const CurveChain& to, double along);

/// A joint of a limb by its bends in several poses.
struct PosedJoint {
  double along = 0;     ///< In the first pose.
  double bend_rad = 0;  ///< The largest bend there in any pose; 0 without one.
  Index pose = 0;       ///< The pose of that bend.
};

/// Matches joints with bends in every pose and takes each from the pose in which it bends most. Without bends they are
/// at their fractions. \param poses the same chain in every pose, the first one included; null where it is missing.
std::vector<PosedJoint> match_in_poses(const CurveChain& chain, std::span<const CurveChain* const> poses,
                                       std::span<const double> fractions, BendRule rule);

}  // namespace sinew::rigging
