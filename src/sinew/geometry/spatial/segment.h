// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The point of a segment nearest to a point, in the plane (`Vec2`) and in space (`Vec3`).

#include <algorithm>
#include <cmath>

#include "sinew/core/math.h"

namespace sinew::geometry {

template <int kDimension>
using SegmentVector = Eigen::Matrix<double, kDimension, 1>;

/// The parameter in [0, 1] of the point of the segment from `a` to `b` nearest to `p`: 0 at `a`, 1 at `b`, and 0 where
/// the segment has no length.
template <int kDimension>
double segment_parameter(const SegmentVector<kDimension>& p, const SegmentVector<kDimension>& a,
                         const SegmentVector<kDimension>& b) {
  const SegmentVector<kDimension> along = b - a;
  const double squared = along.squaredNorm();
  return squared > 0 ? std::clamp((p - a).dot(along) / squared, 0.0, 1.0) : 0.0;
}

/// The point of the segment nearest to `p`.
template <int kDimension>
SegmentVector<kDimension> segment_point(const SegmentVector<kDimension>& p, const SegmentVector<kDimension>& a,
                                        const SegmentVector<kDimension>& b) {
  return a + segment_parameter(p, a, b) * (b - a);
}

/// The squared distance from `p` to the segment. It is computed from `p - a`, which loses less far from the origin than
/// the distance to `segment_point()`; the two can differ in the last digits.
template <int kDimension>
double segment_squared_distance(const SegmentVector<kDimension>& p, const SegmentVector<kDimension>& a,
                                const SegmentVector<kDimension>& b) {
  return (p - a - segment_parameter(p, a, b) * (b - a)).squaredNorm();
}

template <int kDimension>
double segment_distance(const SegmentVector<kDimension>& p, const SegmentVector<kDimension>& a,
                        const SegmentVector<kDimension>& b) {
  return std::sqrt(segment_squared_distance(p, a, b));
}

}  // namespace sinew::geometry
