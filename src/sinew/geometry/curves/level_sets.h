// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/geometry/curves/curve_surface.h"
#include "sinew/geometry/curves/tips.h"

namespace sinew::geometry {

/// A triangulated surface, for functions that are linear on triangles.
struct LevelSurface {
  Mesh mesh;  ///< Triangles, on the vertices of the surface it is made from. Holes are filled.
  HalfEdges edges;
};
LevelSurface level_surface(const CurveSurface& surface);

/// A level set that consists of one line.
struct LevelCurve {
  std::vector<CurvePoint> points;
  double level = 0;
  bool closed = false;
};

/// A harmonic function between two sets of vertices, and level sets of it.
struct LevelSets {
  std::vector<LevelCurve> curves;  ///< By rising level, spaced evenly along the line of their centres.
  std::vector<Index> vertices;     ///< All vertices of the domain,
  std::vector<double> values;      ///< and the function on them.
  Index split = 0;                 ///< Levels with several lines, which are left out.
};

/// Level sets of a function that is 0 on `low`, 1 on `high`, and harmonic on the vertices of `domain` between them.
/// Weights are cotangents, raised to a thousandth of their mean where they are less, so that the function has no other
/// extreme. One sparse factorisation. \pre low and high are in the domain and not empty.
LevelSets level_sets(const LevelSurface& surface, std::span<const Index> domain, std::span<const Index> low,
                     std::span<const Index> high, Index count);

/// Level sets around a limb: 0 on the disc around its tip, 1 outside its region. The region is reduced until it is a
/// disc; then every level set is one closed line, because a harmonic function on an annulus has no critical point.
/// Empty if no disc is left.
LevelSets limb_level_sets(const LevelSurface& surface, const SurfaceGraph& graph, const LimbTips& tips,
                          const LimbTip& tip);

}  // namespace sinew::geometry
