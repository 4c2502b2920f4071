// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/nearest.h"

#include <algorithm>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/transfer/surface/reference_surface.h"

namespace sinew::transfer {

Nearest nearest_points(const Reference& reference, const Mesh& mesh, const Progress& progress) {
  progress.step("nearest points of the reference");
  const ReferenceSurface surface(reference);
  Nearest result;
  result.welding = geometry::weld(mesh);
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &result.welding);
  const Index count = result.welding.count();
  std::vector<Vec3> places;
  for (const Index v : result.welding.first) places.push_back(mesh.positions[v]);
  const std::vector<geometry::ClosestPoint> points = surface.closest_points(places);
  progress.check();
  result.distance.resize(count);
  result.angle_rad.resize(count);
  std::vector<std::vector<Influence>> rows(count);
  parallel_for(count, [&](std::size_t i) {
    result.distance[i] = points[i].distance;
    result.angle_rad[i] =
        angle_between(normals[result.welding.first[i]], surface.normal(points[i].triangle, points[i].barycentric));
    rows[i] = surface.row(points[i].triangle, points[i].barycentric);
  });
  for (const auto& row : rows) result.rows.add_row(row);
  return result;
}

double match_confidence(double distance_rel, double angle_rad) {
  return std::clamp(1 - 0.5 * std::max(distance_rel / kNear_rel, angle_rad / kAlike_rad), 0.0, 1.0);
}

Json distance_metrics(const std::vector<double>& distance, double size) {
  double sum = 0, largest = 0;
  for (const double d : distance) sum += d, largest = std::max(largest, d);
  Json metrics = Json::object();
  metrics["mean_distance_rel"] = size > 0 && !distance.empty() ? sum / static_cast<double>(distance.size()) / size : 0;
  metrics["max_distance_rel"] = size > 0 ? largest / size : 0;
  return metrics;
}

}  // namespace sinew::transfer
