// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/tip_curvature.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"

namespace sinew::geometry {
namespace {

constexpr double kAverageRel = 0.05;
constexpr double kApartRel = 0.25;
constexpr double kShareOfHighest = 0.5;

/// The whole angle around a vertex taken from 2π.
double angle_defect(const CurveSurface& s, Index v) {
  double sum = 2 * kPi;
  Index h = s.out[v];
  for (Index k = 0; k < s.valence[v]; ++k) {
    const Vec3 a = s.position(s.to(h)) - s.position(v);
    const Vec3 b = s.position(s.from(s.edges.prev[h])) - s.position(v);
    sum -= std::atan2(a.cross(b).norm(), a.dot(b));
    const Index back = s.edges.twin[s.edges.prev[h]];
    if (back == kNone) return 0;
    h = back;
  }
  return sum;
}

/// Rounds of averaging with the neighbours that reach about the given distance.
void average(const SurfaceGraph& graph, std::span<const Index> vertices, double reach, std::vector<double>& values) {
  double length = 0;
  std::size_t count = 0;
  for (const Index v : vertices)
    for (Index i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) length += graph.lengths[i], ++count;
  const double mean = count == 0 ? reach : length / static_cast<double>(count);
  const int rounds = std::clamp(static_cast<int>(std::lround(std::pow(reach / mean, 2))), 1, 200);
  std::vector<double> next(values.size(), 0);
  for (int k = 0; k < rounds; ++k) {
    for (const Index v : vertices) {
      double sum = values[v];
      for (Index i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) sum += values[graph.neighbours[i]];
      next[v] = sum / (graph.offsets[v + 1] - graph.offsets[v] + 1);
    }
    values.swap(next);
  }
}

}  // namespace

std::vector<LimbTip> curvature_tips(const CurveSurface& s, const SurfaceGraph& graph, std::span<const Index> vertices) {
  std::vector<double> curvature(s.mesh.vertex_count(), 0);
  for (const Index v : vertices) curvature[v] = angle_defect(s, v);
  average(graph, vertices, kAverageRel * s.size, curvature);
  std::vector<Index> order(vertices.begin(), vertices.end());
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return curvature[a] > curvature[b] || (curvature[a] == curvature[b] && a < b); });
  std::vector<LimbTip> tips;
  std::vector<Index> sources;
  std::vector<double> distance;
  for (const Index v : order) {
    if (curvature[v] <= 0 || curvature[v] < kShareOfHighest * curvature[order.front()]) break;
    if (!sources.empty() && distance[v] < kApartRel * s.size) continue;
    LimbTip tip;
    tip.vertex = v;
    tip.persistence = curvature[v] / curvature[order.front()];
    tips.push_back(tip);
    sources.push_back(v);
    distance = graph_distances(graph, sources);
  }
  return tips;
}

}  // namespace sinew::geometry
