// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/ngon.h"

#include <array>

namespace sinew::io::gltf {
namespace {

// How well a fan from corner `start` fills the polygon: the smallest triangle area along the polygon's facing.
double fan_quality(std::span<const Vec3> points, std::size_t start) {
  const std::size_t n = points.size();
  Vec3 normal = Vec3::Zero();
  for (std::size_t i = 0; i < n; ++i) normal += (points[i] - points[0]).cross(points[(i + 1) % n] - points[0]);
  double worst = std::numeric_limits<double>::infinity();
  const Vec3& a = points[start];
  for (std::size_t i = 1; i + 1 < n; ++i)
    worst = std::min(worst, (points[(start + i) % n] - a).cross(points[(start + i + 1) % n] - a).dot(normal));
  return worst;
}

}  // namespace

void decode_ngons(std::span<const std::uint32_t> indices, Mesh& mesh) {
  std::vector<Index> polygon;
  for (std::size_t t = 0; t + 2 < indices.size(); t += 3) {
    const auto [a, b, c] = std::array{indices[t], indices[t + 1], indices[t + 2]};
    if (!polygon.empty() && polygon.front() == a && polygon.back() == b) {
      polygon.push_back(c);
      continue;
    }
    if (!polygon.empty()) mesh.add_face(polygon);
    polygon = {a, b, c};
  }
  if (!polygon.empty()) mesh.add_face(polygon);
}

void encode_ngon(std::span<const std::uint32_t> corners, std::span<const Vec3> corner_points,
                 std::vector<std::uint32_t>& indices, std::size_t& broken) {
  const std::size_t n = corners.size();
  const auto previous = [&] { return indices.empty() ? kNone : indices[indices.size() - 3]; };
  std::size_t best = n;
  double best_quality = 0;
  for (std::size_t s = 0; s < n; ++s) {
    if (corners[s] == previous()) continue;
    const double quality = fan_quality(corner_points, s);
    // A triangle keeps its first corner where it can: all starts fill it equally well.
    if (best == n || (n > 3 && quality > best_quality * (1 + 1e-9) + 1e-300)) best = s, best_quality = quality;
  }
  if (best == n) best = 0;
  // A quad has but two fans: the better one is what any program would draw, also where the quad is folded.
  if (n <= 4 || best_quality >= 0) {
    for (std::size_t i = 1; i + 1 < n; ++i)
      indices.insert(indices.end(), {corners[best], corners[(best + i) % n], corners[(best + i + 1) % n]});
    return;
  }
  ++broken;
  Mesh polygon;
  polygon.positions.assign(corner_points.begin(), corner_points.end());
  std::vector<Index> ring(n);
  for (Index i = 0; i < n; ++i) ring[i] = i;
  polygon.add_face(ring);
  for (const Triangle& triangle : triangulate(polygon)) {
    std::size_t start = 0;
    while (start < 2 && corners[triangle.vertices[start]] == previous()) ++start;
    for (std::size_t i = 0; i < 3; ++i) indices.push_back(corners[triangle.vertices[(start + i) % 3]]);
  }
}

}  // namespace sinew::io::gltf
