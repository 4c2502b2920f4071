// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/curve_measure.h"

namespace sinew {

CurveCentre curve_centre(std::span<const CurvePoint> points, std::span<const Vec3> positions, bool closed) {
  CurveCentre result;
  if (points.empty()) return result;
  const std::size_t n = points.size();
  const std::size_t pieces = closed ? n : n - 1;
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < pieces; ++i) {
    const Vec3 a = points[i].at(positions), b = points[i + 1 == n ? 0 : i + 1].at(positions);
    const double length = (b - a).norm();
    sum += 0.5 * length * (a + b);
    result.perimeter += length;
  }
  if (result.perimeter <= 0) {
    result.position = points.front().at(positions);
    return result;
  }
  result.position = sum / result.perimeter;
  for (std::size_t i = 0; i < pieces; ++i) {
    const Vec3 a = points[i].at(positions), b = points[i + 1 == n ? 0 : i + 1].at(positions);
    result.radius += 0.5 * (b - a).norm() * ((a - result.position).norm() + (b - result.position).norm());
  }
  result.radius /= result.perimeter;
  return result;
}

Vec3 curve_mean(std::span<const CurvePoint> points, std::span<const Vec3> positions) {
  Vec3 sum = Vec3::Zero();
  for (const CurvePoint& point : points) sum += point.at(positions);
  return points.empty() ? sum : Vec3(sum / static_cast<double>(points.size()));
}

}  // namespace sinew
