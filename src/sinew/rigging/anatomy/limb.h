// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/rigging/anatomy/ways.h"

namespace sinew::rigging {

/// A limb cut into slices of equal distance from its tip, measured through the body.
struct LimbProfile {
  struct Slice {
    double s = 0;                ///< Distance from the tip.
    Vec3 center = Vec3::Zero();  ///< Of the slice's voxels.
    double area = 0;             ///< Of the section.
    double radius = 0;           ///< The greatest depth in it.
  };
  std::vector<Slice> slices;  ///< From the tip inwards, `step` apart.
  double step = 0;

  bool empty() const { return slices.empty(); }
  double length() const { return slices.empty() ? 0 : slices.back().s; }
  /// Between slices; clamped to the ends.
  Vec3 center(double s) const;
  double area(double s) const;
  double radius(double s) const;

 private:
  double interpolate(double s, std::size_t& i) const;
};

/// The end of the limb that `leaf` lies in. From the leaf it goes back towards the body (`from_body`: distances from
/// where the limb's ways meet) until only `share` of the way is left, so that it does not matter which finger or ear
/// the leaf is; of the voxels behind that place, as seen from the body, the farthest; with a direction, the farthest in
/// that direction; if `thick`, as the ball that fits where it is thickest goes, so that ears and buns of hair on a head
/// do not count.
Index limb_tip(const BodyWays& ways, std::span<const float> from_body, const Vec3& leaf, double share,
               const Vec3& direction, bool thick = false);

/// Slices from a tip inwards, at most `reach` far. Where a slice falls into pieces, the piece that is nearest to the
/// body goes on. A search through the body, and linear.
LimbProfile limb_profile(const BodyWays& ways, std::span<const float> from_body, Index tip, double reach);

}  // namespace sinew::rigging
