// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::transfer {
namespace {

/// Rows of a triangle's corners blended.
std::vector<Influence> blended(const SkinWeights& weights, const geometry::TriangleVertices& corners,
                               const Vec3& barycentric) {
  std::vector<std::pair<Index, double>> all;
  for (int k = 0; k < 3; ++k)
    for (const Influence& influence : weights.row(corners[static_cast<std::size_t>(k)]))
      all.emplace_back(influence.joint, barycentric[k] * static_cast<double>(influence.weight));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Influence> row;
  double sum = 0;
  for (std::size_t i = 0, next = 0; i < all.size(); i = next) {
    double weight = 0;
    for (next = i; next < all.size() && all[next].first == all[i].first; ++next) weight += all[next].second;
    if (!(weight > 0)) continue;
    sum += weight;
    row.push_back({all[i].first, static_cast<float>(weight)});
  }
  for (Influence& influence : row) influence.weight = static_cast<float>(static_cast<double>(influence.weight) / sum);
  return row;
}

double angle_between(const Vec3& a, const Vec3& b) {
  if (!(a.norm() > 0) || !(b.norm() > 0)) return kPi;
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

}  // namespace

Nearest nearest_points(const Reference& reference, const Mesh& mesh, const Progress& progress) {
  progress.step("nearest points of the reference");
  const SkinWeights weights = reference.weights.normalized();
  const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(reference.mesh);
  const auto has_weights = [&](Index t) {
    return std::none_of(triangles[t].begin(), triangles[t].end(), [&](Index v) { return weights.row(v).empty(); });
  };
  bool any = false;
  for (Index t = 0; t < triangles.size() && !any; ++t) any = has_weights(t);
  if (!any) throw Error("The reference has no faces with weights, so there is nothing to transfer.");
  const geometry::RayScene scene(geometry::TriangleSoup{reference.mesh.positions, triangles});
  const geometry::Welding reference_welding = geometry::weld(reference.mesh);
  const std::vector<Vec3> reference_normals = geometry::vertex_normals(reference.mesh, &reference_welding);
  Nearest result;
  result.welding = geometry::weld(mesh);
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &result.welding);
  const Index count = result.welding.count();
  std::vector<Vec3> places;
  for (const Index v : result.welding.first) places.push_back(mesh.positions[v]);
  const std::vector<geometry::ClosestPoint> points =
      scene.closest_points(places, std::numeric_limits<double>::infinity(), has_weights);
  progress.check();
  result.distance.resize(count);
  result.angle_rad.resize(count);
  std::vector<std::vector<Influence>> rows(count);
  parallel_for(count, [&](std::size_t i) {
    const geometry::TriangleVertices& corners = triangles[points[i].triangle];
    Vec3 normal = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      normal += points[i].barycentric[k] * reference_normals[corners[static_cast<std::size_t>(k)]];
    result.distance[i] = points[i].distance;
    result.angle_rad[i] = angle_between(normals[result.welding.first[i]], normal);
    rows[i] = blended(weights, corners, points[i].barycentric);
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
