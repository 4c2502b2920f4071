// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/helpers_compare.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "sinew/geometry/mesh/triangle_surface.h"

namespace sinew::pipeline {
namespace {

constexpr double kTolerance = 1.02;
constexpr double kMostGrowth = 1.3;
constexpr double kGrowthPerGain = 1.5;
constexpr Index kCountNoise = 2;
// The cosine of 135°: more than the crease of any bend that is tried.
constexpr double kFolded = -0.7071;
// Shorter edges than this share of the mesh's size are left out: rounding decides their length.
constexpr double kShortestEdge = 1e-6;

}  // namespace

SurfaceAllowance::SurfaceAllowance(const SurfaceFigures& before, double gain) {
  const double growth = std::min(kMostGrowth, kTolerance + kGrowthPerGain * std::max(0.0, gain));
  stretch = std::max(stretch, growth * before.stretch);
  const auto allowed = [&](Index count) {
    return std::max(count + kCountNoise, static_cast<Index>(growth * static_cast<double>(count)));
  };
  folded = allowed(before.folded);
  cuts = allowed(before.cuts);
}

SurfaceFigure worse_figure(const SurfaceFigures& before, const SurfaceFigures& after, double gain) {
  if (after.thinnest < before.thinnest - kSectionTolerance) return SurfaceFigure::kThinnest;
  const SurfaceAllowance allowance(before, gain);
  if (after.stretch > allowance.stretch) return SurfaceFigure::kStretch;
  if (after.folded > allowance.folded) return SurfaceFigure::kFolded;
  return after.cuts > allowance.cuts ? SurfaceFigure::kCuts : SurfaceFigure::kNone;
}

SurfaceRegion::SurfaceRegion(const Mesh& mesh, const geometry::Welding& welding, std::span<const Vec3> rest,
                             const std::vector<char>& vertices) {
  std::vector<char> inside(welding.count(), 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (vertices[v] != 0) inside[welding.welded[v]] = 1;
  std::vector<Index> number(welding.count(), kNone);
  std::map<std::pair<Index, Index>, std::vector<Index>> around;
  for (const auto& corners : geometry::triangle_surface(mesh, welding).triangles) {
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
    if (std::none_of(corners.begin(), corners.end(), [&](Index w) { return inside[w] != 0; })) continue;
    std::array<Index, 3> own{};
    for (std::size_t k = 0; k < 3; ++k) {
      Index& n = number[corners[k]];
      if (n == kNone) n = static_cast<Index>(first_.size()), first_.push_back(welding.first[corners[k]]);
      own[k] = n;
    }
    for (std::size_t k = 0; k < 3; ++k)
      around[std::minmax(own[k], own[(k + 1) % 3])].push_back(static_cast<Index>(triangles_.size()));
    triangles_.push_back(own);
  }
  const double shortest = kShortestEdge * mesh.size();
  for (const auto& [ends, sides] : around) {
    const double length = (rest[first_[ends.second]] - rest[first_[ends.first]]).norm();
    edges_.push_back({ends.first, ends.second, length > shortest ? length : 0});
    if (sides.size() == 2 && !folded(sides[0], sides[1], rest)) hinges_.emplace_back(sides[0], sides[1]);
  }
  edges_at_.resize(first_.size());
  for (Index e = 0; e < edges_.size(); ++e) edges_at_[edges_[e].a].push_back(e), edges_at_[edges_[e].b].push_back(e);
  part_.positions.resize(first_.size());
  for (const auto& triangle : triangles_) part_.add_face(triangle);
  MeshPart whole;
  whole.vertex_count = part_.vertex_count(), whole.face_count = part_.face_count();
  part_.parts.push_back(std::move(whole));
}

Vec3 SurfaceRegion::normal(Index triangle, std::span<const Vec3> positions) const {
  const auto& t = triangles_[triangle];
  const Vec3& p = positions[first_[t[0]]];
  return (positions[first_[t[1]]] - p).cross(positions[first_[t[2]]] - p);
}

bool SurfaceRegion::folded(Index a, Index b, std::span<const Vec3> positions) const {
  const Vec3 m = normal(a, positions), n = normal(b, positions);
  return m.dot(n) < kFolded * m.norm() * n.norm();
}

double SurfaceRegion::stretch(const Edge& edge, std::span<const Vec3> posed) const {
  return edge.length > 0 ? (posed[first_[edge.b]] - posed[first_[edge.a]]).norm() / edge.length : 1;
}

SurfaceState SurfaceRegion::measure(std::span<const Vec3> posed) const {
  SurfaceState state;
  for (const Edge& edge : edges_) state.figures.stretch = std::max(state.figures.stretch, stretch(edge, posed));
  state.folded.reserve(hinges_.size());
  for (const auto& [a, b] : hinges_) {
    state.folded.push_back(folded(a, b, posed) ? 1 : 0);
    state.figures.folded += state.folded.back() != 0 ? 1 : 0;
  }
  return state;
}

void SurfaceRegion::add_cuts(std::span<const Vec3> posed, SurfaceState& state) const {
  Mesh mesh = part_;
  for (std::size_t v = 0; v < first_.size(); ++v) mesh.positions[v] = posed[first_[v]];
  geometry::SelfIntersectionOptions options;
  options.list = true;
  state.cuts = geometry::self_intersections(mesh, options).pairs;
  state.figures.cuts = static_cast<Index>(state.cuts.size());
}

void SurfaceRegion::mark_worse(const SurfaceState& before, const SurfaceState& after, const SurfaceAllowance& allowance,
                               std::span<const Vec3> posed, std::vector<char>& marked) const {
  if (after.figures.stretch > allowance.stretch)
    for (const Edge& edge : edges_)
      if (stretch(edge, posed) > allowance.stretch) marked[edge.a] = marked[edge.b] = 1;
  const auto mark = [&](Index triangle) {
    for (const Index v : triangles_[triangle]) marked[v] = 1;
  };
  if (after.figures.folded > allowance.folded)
    for (std::size_t h = 0; h < hinges_.size(); ++h)
      if (after.folded[h] != 0 && before.folded[h] == 0) mark(hinges_[h].first), mark(hinges_[h].second);
  if (after.figures.cuts > allowance.cuts)
    for (const geometry::TrianglePair& pair : after.cuts)
      if (!std::binary_search(before.cuts.begin(), before.cuts.end(), pair,
                              [](const geometry::TrianglePair& a, const geometry::TrianglePair& b) {
                                return std::pair(a.a, a.b) < std::pair(b.a, b.b);
                              }))
        mark(pair.a), mark(pair.b);
}

std::vector<float> SurfaceRegion::easing(const std::vector<char>& marked, double least, double reach) const {
  std::vector<double> away(first_.size(), reach);
  using Entry = std::pair<double, Index>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (Index v = 0; v < away.size(); ++v)
    if (marked[v] != 0) away[v] = 0, open.emplace(0, v);
  while (!open.empty()) {
    const auto [distance, v] = open.top();
    open.pop();
    if (distance > away[v]) continue;
    for (const Index e : edges_at_[v]) {
      const Index other = edges_[e].a == v ? edges_[e].b : edges_[e].a;
      const double through = distance + edges_[e].length;
      if (through < away[other]) away[other] = through, open.emplace(through, other);
    }
  }
  std::vector<float> factors(away.size());
  for (std::size_t v = 0; v < away.size(); ++v) {
    const double near = 1 - away[v] / reach;
    factors[v] = static_cast<float>(1 - (1 - least) * near * near * (3 - 2 * near));
  }
  return factors;
}

}  // namespace sinew::pipeline
