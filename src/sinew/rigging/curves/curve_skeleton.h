// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/curve_set.h"

namespace sinew::rigging {

/// The middle of one curve.
struct CurveNode {
  Index curve = kNone;
  Vec3 position = Vec3::Zero();
  double radius = 0;
};

/// The middle line of a limb, from the body to the tip, or of a piece of the trunk.
struct CurveChain {
  std::vector<CurveNode> nodes;
  std::vector<double> along;  ///< Per node: distance from the first, along the line.
  Vec3 tip = Vec3::Zero();    ///< Of a limb: its end on the skin.
  Index limb = kNone;         ///< Index into `CurveSet::limbs`; kNone for the trunk.

  double length() const { return along.empty() ? 0 : along.back(); }
  double mean_radius() const;
  /// The point at a distance from the first node, on the straight pieces between nodes. Clamped to the line.
  Vec3 at(double distance) const;
  double radius_at(double distance) const;
  /// The distance from the first node to the point of the line that is nearest to a position.
  double nearest(const Vec3& position) const;
};

/// The middle lines of all limbs and pieces of the trunk, in one pose.
struct CurveSkeleton {
  std::vector<CurveChain> limbs;   ///< Limbs with at least two closed curves.
  std::vector<CurveChain> trunks;  ///< The longest first.
};

/// Centres of closed curves. Chains of curves stay in their order; those of limbs run from the body to the tip. A node
/// is dropped if it is farther from the line of its neighbours than its own radius. Linear. \pre positions of the mesh
/// that the curves were found on, in any pose.
CurveSkeleton curve_skeleton(const CurveSet& curves, std::span<const Vec3> positions);

enum class BendRule { kWindow, kPaper };
constexpr auto option_words(BendRule) { return std::array{"window", "paper"}; }

/// A place where a chain turns.
struct CurveBend {
  double along = 0;
  double angle_rad = 0;
};

/// Bends of a chain by more than 20°, in order along it.
///
/// `kWindow` compares the directions of two pieces of the smoothed chain, each w long and w apart, with w the larger of
/// 0.12 lengths and three spacings of curves, so that the result does not depend on how dense curves are. The bend is
/// in the middle of where the turn is within 5 % of its largest. `kPaper` is the published rule: two neighbouring
/// segments turn by more than 20°. It finds nothing on dense curves and noise on rough ones.
std::vector<CurveBend> find_bends(const CurveChain& chain, BendRule rule = BendRule::kWindow);

}  // namespace sinew::rigging
