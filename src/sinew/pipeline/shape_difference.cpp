// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/shape_difference.h"

#include <algorithm>
#include <cassert>

#include "sinew/measure/surface_change.h"

namespace sinew::pipeline {

double ShapeDifference::max_percent_of(std::span<const Index> vertices) const {
  double result = 0;
  for (const Index v : vertices) result = std::max(result, static_cast<double>(percent[v]));
  return result;
}

ShapeDifference shape_difference(std::span<const Vec3> a, std::span<const Vec3> b, double size) {
  assert(a.size() == b.size() && size > 0);
  const measure::ShapeDistance distance = measure::shape_distance(a, b);
  ShapeDifference result;
  result.max_percent = 100 * distance.max / size;
  result.rms_percent = 100 * distance.rms / size;
  if (distance.max > 0) result.farthest = distance.farthest;
  result.percent.reserve(a.size());
  for (std::size_t v = 0; v < a.size(); ++v)
    result.percent.push_back(static_cast<float>(100 * (a[v] - b[v]).norm() / size));
  return result;
}

bool have_same_vertices(const Mesh& a, const Mesh& b) {
  if (a.positions.size() != b.positions.size()) return false;
  return measure::shape_distance(a.positions, b.positions).rms <= 0.05 * a.size();
}

}  // namespace sinew::pipeline
