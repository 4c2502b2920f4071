// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// A point of an edge of a mesh: (1 − t) · a + t · b. It exists in every pose of the mesh. A vertex has a = b.
struct CurvePoint {
  Index a = kNone;
  Index b = kNone;
  double t = 0;

  Vec3 at(std::span<const Vec3> positions) const {
    return a == b ? positions[a] : Vec3((1 - t) * positions[a] + t * positions[b]);
  }
};

/// A curve that runs around a limb or around the trunk, or an open arc that covers the rest of the surface.
struct Curve {
  enum class Kind { kLimb, kTrunk, kRest };

  Index first = 0;  ///< Its points are points[first] … points[first + count − 1] of the set.
  Index count = 0;
  bool closed = false;
  Kind kind = Kind::kRest;
  Index chain = kNone;   ///< Index into `CurveSet::limbs` or `CurveSet::trunks`, by kind; kNone for the rest.
  Index order = 0;       ///< Position in the chain: from the tip to the body, or along the trunk.
  Index before = kNone;  ///< The previous curve of the chain. Of the rest: the curve beside which it begins.
  Index after = kNone;   ///< The next curve of the chain.
};

/// The curves around one limb.
struct CurveLimb {
  Index tip = kNone;  ///< A vertex of the mesh.
  double length = 0;  ///< From the tip along the surface to where the limb meets others.
  double radius = 0;  ///< Mean.
  double persistence = 0;
  bool level_sets = false;    ///< The curves are level sets of a harmonic function. Otherwise they follow edges.
  std::vector<Index> curves;  ///< From the tip to the body. The last one is the seam curve.
};

/// Curves around the limbs and the trunk of a mesh. Points are points of edges, so that the curves exist in every pose
/// of the mesh: `CurvePoint::at` takes the positions of any of them.
struct CurveSet {
  std::vector<CurvePoint> points;
  std::vector<Curve> curves;
  /// Per vertex of the mesh: the curve through it or, where curves are level sets, the nearest one. kNone on small
  /// separate pieces.
  std::vector<Index> curve_of;
  /// Per vertex of the mesh: its place in `points`. kNone where curves are level sets, and on small separate pieces.
  std::vector<Index> point_of;
  std::vector<CurveLimb> limbs;
  std::vector<std::vector<Index>> trunks;  ///< Chains of closed curves that belong to no limb.
  Index uncovered = 0;                     ///< Vertices that no curve covers.
  Findings findings;

  std::span<const CurvePoint> of(const Curve& curve) const { return {points.data() + curve.first, curve.count}; }
  Index closed_count() const {
    Index count = 0;
    for (const Curve& curve : curves) count += curve.closed ? 1 : 0;
    return count;
  }
};

}  // namespace sinew
