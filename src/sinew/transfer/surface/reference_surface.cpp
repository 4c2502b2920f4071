// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/reference_surface.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::transfer {
namespace {

std::vector<geometry::TriangleVertices> weighted_triangles(const Mesh& mesh, const SkinWeights& weights) {
  std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(mesh);
  std::erase_if(triangles, [&](const geometry::TriangleVertices& corners) {
    return std::any_of(corners.begin(), corners.end(), [&](Index v) { return weights.row(v).empty(); });
  });
  if (triangles.empty()) throw Error("The reference has no faces with weights, so there is nothing to transfer.");
  return triangles;
}

std::vector<Vec3> welded_normals(const Mesh& mesh) {
  const geometry::Welding welding = geometry::weld(mesh);
  return geometry::vertex_normals(mesh, &welding);
}

}  // namespace

ReferenceSurface::ReferenceSurface(const Reference& reference)
    : mesh_(reference.mesh),
      weights_(reference.weights.normalized()),
      triangles_(weighted_triangles(mesh_, weights_)),
      normals_(welded_normals(mesh_)),
      scene_(geometry::TriangleSoup{mesh_.positions, triangles_}) {}

std::vector<geometry::ClosestPoint> ReferenceSurface::closest_points(std::span<const Vec3> points,
                                                                     double max_distance) const {
  return scene_.closest_points(points, max_distance);
}

Vec3 ReferenceSurface::normal(Index triangle, const Vec3& barycentric) const {
  Vec3 normal = Vec3::Zero();
  for (int k = 0; k < 3; ++k) normal += barycentric[k] * normals_[triangles_[triangle][static_cast<std::size_t>(k)]];
  return normal.norm() > 0 ? Vec3(normal.normalized()) : Vec3(Vec3::Zero());
}

double ReferenceSurface::triangle_width(Index triangle) const {
  const auto& t = triangles_[triangle];
  const Vec3 &a = mesh_.positions[t[0]], &b = mesh_.positions[t[1]], &c = mesh_.positions[t[2]];
  return std::sqrt((b - a).cross(c - a).norm());
}

std::vector<Influence> ReferenceSurface::row(Index triangle, const Vec3& barycentric) const {
  std::vector<std::pair<Index, double>> all;
  for (int k = 0; k < 3; ++k)
    for (const Influence& influence : weights_.row(triangles_[triangle][static_cast<std::size_t>(k)]))
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

}  // namespace sinew::transfer
