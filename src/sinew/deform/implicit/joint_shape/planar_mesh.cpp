// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/planar_mesh.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "sinew/geometry/spatial/predicates.h"

namespace sinew::deform {
namespace {

using geometry::orient2d;
using PlanarTriangle = std::array<Index, 3>;

bool crosses(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  return orient2d(a, b, c) * orient2d(a, b, d) <= 0 && orient2d(c, d, a) * orient2d(c, d, b) <= 0;
}

/// Whether no two edges that are not neighbours touch, and the corners run counter-clockwise.
bool simple_polygon(std::span<const Vec2> corners) {
  const std::size_t n = corners.size();
  double area = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 &a = corners[i], &b = corners[(i + 1) % n];
    area += a.x() * b.y() - a.y() * b.x();
    if (a == b) return false;
    for (std::size_t j = i + 2; j < n; ++j)
      if ((j + 1) % n != i && crosses(a, b, corners[j], corners[(j + 1) % n])) return false;
  }
  return area > 0;
}

bool in_triangle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& p) {
  return orient2d(a, b, p) >= 0 && orient2d(b, c, p) >= 0 && orient2d(c, a, p) >= 0;
}

/// Whether a corner can be cut off.
bool ear(std::span<const Vec2> corners, const std::vector<Index>& left, std::size_t k) {
  const std::size_t n = left.size();
  const Index ia = left[(k + n - 1) % n], ib = left[k], ic = left[(k + 1) % n];
  const Vec2 &a = corners[ia], &b = corners[ib], &c = corners[ic];
  if (orient2d(a, b, c) <= 0) return false;
  return std::none_of(left.begin(), left.end(),
                      [&](Index v) { return v != ia && v != ib && v != ic && in_triangle(a, b, c, corners[v]); });
}

std::optional<std::vector<PlanarTriangle>> cut_ears(std::span<const Vec2> corners) {
  std::vector<Index> left;
  for (Index i = 0; i < corners.size(); ++i) left.push_back(i);
  std::vector<PlanarTriangle> triangles;
  std::size_t k = 0, tried = 0;
  while (left.size() > 3) {
    const std::size_t n = left.size();
    k %= n;
    if (!ear(corners, left, k)) {
      ++k;
      if (++tried > n) return std::nullopt;
      continue;
    }
    triangles.push_back({left[(k + n - 1) % n], left[k], left[(k + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
    // Not the neighbour next, so that ears do not form a fan.
    ++k;
    tried = 0;
  }
  triangles.push_back({left[0], left[1], left[2]});
  return triangles;
}

/// Triangles that change by insertions and flips.
class FlipMesh {
 public:
  FlipMesh(std::vector<Vec2> points, std::vector<PlanarTriangle> triangles)
      : points_(std::move(points)), triangles_(std::move(triangles)) {
    for (Index t = 0; t < triangles_.size(); ++t) enter(t);
    std::vector<std::pair<Index, Index>> all;
    for (const auto& [edge, t] : edges_) all.push_back(edge);
    restore(std::move(all));
  }

  void insert(Index v) {
    const Vec2& p = points_[v];
    for (Index t = 0; t < triangles_.size(); ++t) {
      const auto [a, b, c] = triangles_[t];
      if (orient2d(points_[a], points_[b], p) <= 0 || orient2d(points_[b], points_[c], p) <= 0 ||
          orient2d(points_[c], points_[a], p) <= 0)
        continue;
      leave(t);
      triangles_[t] = {a, b, v};
      triangles_.push_back({b, c, v});
      triangles_.push_back({c, a, v});
      enter(t), enter(static_cast<Index>(triangles_.size() - 2)), enter(static_cast<Index>(triangles_.size() - 1));
      restore({{a, b}, {b, c}, {c, a}});
      return;
    }
  }

  std::vector<PlanarTriangle> result() { return std::move(triangles_); }

 private:
  using Edge = std::pair<Index, Index>;

  void enter(Index t) {
    for (std::size_t k = 0; k < 3; ++k) edges_[{triangles_[t][k], triangles_[t][(k + 1) % 3]}] = t;
  }
  void leave(Index t) {
    for (std::size_t k = 0; k < 3; ++k) edges_.erase({triangles_[t][k], triangles_[t][(k + 1) % 3]});
  }

  /// Flips edges that are not those of Delaunay, and those around them.
  void restore(std::vector<Edge> queue) {
    std::size_t guard = 200 * points_.size() + 1000;
    while (!queue.empty() && guard-- > 0) {
      const auto [a, b] = queue.back();
      queue.pop_back();
      const auto here = edges_.find({a, b}), there = edges_.find({b, a});
      if (here == edges_.end() || there == edges_.end()) continue;
      const Index t = here->second, s = there->second;
      const Index c = third_of(t, a, b), d = third_of(s, a, b);
      if (!in_circle(a, b, c, d)) continue;
      if (orient2d(points_[c], points_[a], points_[d]) <= 0 || orient2d(points_[d], points_[b], points_[c]) <= 0)
        continue;
      leave(t), leave(s);
      triangles_[t] = {c, a, d};
      triangles_[s] = {d, b, c};
      enter(t), enter(s);
      for (const Edge& edge : {Edge{a, d}, Edge{d, b}, Edge{b, c}, Edge{c, a}}) queue.push_back(edge);
    }
  }

  Index third_of(Index t, Index a, Index b) const {
    for (const Index v : triangles_[t])
      if (v != a && v != b) return v;
    return kNone;
  }

  /// Whether d is inside of the circle through a, b, c by more than rounding.
  bool in_circle(Index ia, Index ib, Index ic, Index id) const {
    const Vec2 a = points_[ia] - points_[id], b = points_[ib] - points_[id], c = points_[ic] - points_[id];
    const double aa = a.squaredNorm(), bb = b.squaredNorm(), cc = c.squaredNorm();
    const double bc = b.x() * c.y() - b.y() * c.x(), ca = c.x() * a.y() - c.y() * a.x(),
                 ab = a.x() * b.y() - a.y() * b.x();
    const double sum = aa * bc + bb * ca + cc * ab;
    return sum > 1e-12 * (aa * std::abs(bc) + bb * std::abs(ca) + cc * std::abs(ab));
  }

  std::vector<Vec2> points_;
  std::vector<PlanarTriangle> triangles_;
  std::map<Edge, Index> edges_;
};

}  // namespace

std::optional<std::vector<std::array<Index, 3>>> triangulate_polygon(std::span<const Vec2> corners,
                                                                     std::span<const Vec2> points) {
  if (corners.size() < 3 || !simple_polygon(corners)) return std::nullopt;
  auto ears = cut_ears(corners);
  if (!ears) return std::nullopt;
  std::vector<Vec2> all(corners.begin(), corners.end());
  all.insert(all.end(), points.begin(), points.end());
  FlipMesh mesh(std::move(all), *std::move(ears));
  for (Index p = 0; p < points.size(); ++p) mesh.insert(static_cast<Index>(corners.size()) + p);
  return mesh.result();
}

std::optional<std::vector<std::array<Index, 3>>> smallest_triangles(std::span<const Vec3> corners,
                                                                    const std::function<bool(Index, Index)>& taken,
                                                                    std::size_t most) {
  const std::size_t n = corners.size();
  if (n < 3 || n > most) return std::nullopt;
  const auto area = [&](std::size_t a, std::size_t b, std::size_t c) {
    return (corners[b] - corners[a]).cross(corners[c] - corners[a]).norm();
  };
  constexpr double kImpossible = std::numeric_limits<double>::infinity();
  std::vector<double> cost(n * n, 0);
  std::vector<std::size_t> split(n * n, 0);
  for (std::size_t span = 2; span < n; ++span)
    for (std::size_t i = 0; i + span < n; ++i) {
      const std::size_t j = i + span;
      double least = kImpossible;
      for (std::size_t m = i + 1; m < j; ++m) {
        const double sum = cost[i * n + m] + cost[m * n + j] + area(i, m, j);
        if (sum < least) least = sum, split[i * n + j] = m;
      }
      const bool border = span + 1 == n;
      cost[i * n + j] = !border && taken && taken(static_cast<Index>(i), static_cast<Index>(j)) ? kImpossible : least;
    }
  if (!(cost[n - 1] < kImpossible)) return std::nullopt;
  std::vector<std::array<Index, 3>> triangles;
  std::vector<std::pair<std::size_t, std::size_t>> queue = {{0, n - 1}};
  while (!queue.empty()) {
    const auto [i, j] = queue.back();
    queue.pop_back();
    if (j < i + 2) continue;
    const std::size_t m = split[i * n + j];
    triangles.push_back({static_cast<Index>(i), static_cast<Index>(m), static_cast<Index>(j)});
    queue.emplace_back(i, m), queue.emplace_back(m, j);
  }
  return triangles;
}

}  // namespace sinew::deform
