// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/geometry/curves/curve_surface.h"

namespace sinew::geometry {

/// The end of a limb.
struct LimbTip {
  Index vertex = kNone;
  double persistence = 0;     ///< How far the field falls from here to where a higher tip is met, 0 to 1.
  double extent = 0;          ///< The field where the limb first meets another limb.
  double length = 0;          ///< Largest distance from the tip inside the limb.
  double radius = 0;          ///< Area of the limb over 2π lengths.
  double tube = 0;            ///< Distance from the tip at which the limb widens into the body; at most `length`.
  std::vector<Index> region;  ///< The vertices of the limb, by falling field.
};

/// Extremities of a surface, and the field that shows them.
struct LimbTips {
  /// Per vertex: mean distance to samples that are spread over the surface, from 0 in the middle of a component to 1 at
  /// its farthest tip.
  std::vector<double> field;
  std::vector<double> from_tip;  ///< Distance from the nearest tip.
  std::vector<LimbTip> tips;     ///< By component, then by falling persistence.
  std::vector<Index> middle;     ///< Per component: the vertex where the field is lowest; kNone for small ones.
};

struct TipOptions {
  double persistence = 0.10;   ///< Tips of less are noses and fingers: 0.045 keeps ears and fingers.
  bool curvature = false;      ///< Tips where the surface is most curved, as in the paper. For studies.
  std::vector<Index> by_hand;  ///< Vertices; empty: find them.
};

/// Components of less than a twentieth of the area have no tips, and neither has one whose field hardly varies, such as
/// a sphere. Tips by hand have their regions as found ones.
///
/// The field is the mean distance to 12 samples, each the farthest from those before. Superlevel sets of it merge as
/// the level falls; a tip is a maximum whose set lives for at least `persistence`. 14 searches through the graph, so
/// O(n log n). Ties go to the lower vertex. \throws Error for a vertex by hand that is not there.
LimbTips limb_tips(const CurveSurface& surface, const SurfaceGraph& graph, const TipOptions& options = {});

}  // namespace sinew::geometry
