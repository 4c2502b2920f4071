// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>

#include "sinew/core/curve_set.h"

namespace sinew {

/// The middle of a curve, each point weighted by half the length of the two pieces beside it, and its mean distance
/// from the curve. A mean of the points alone would move to where they are dense.
struct CurveCentre {
  Vec3 position = Vec3::Zero();
  double radius = 0;
  double perimeter = 0;
};
CurveCentre curve_centre(std::span<const CurvePoint> points, std::span<const Vec3> positions, bool closed);

/// The plain mean of the points, as in the paper.
Vec3 curve_mean(std::span<const CurvePoint> points, std::span<const Vec3> positions);

}  // namespace sinew
