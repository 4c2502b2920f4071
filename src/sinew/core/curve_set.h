// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// Polylines in model space, closed or open, such as the loops a limb is made of.
struct CurveSet {
  struct Curve {
    std::string label;
    bool closed = false;
    std::vector<Vec3> points;
    std::vector<Index> vertices;  ///< Of the mesh, one per point; empty when the points lie between vertices.
  };
  std::vector<Curve> curves;
};

/// Points that are not finite, lengths that do not fit, curves too short to be one.
Findings validate(const CurveSet& curves);

}  // namespace sinew
