// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/level_sets.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/curve_measure.h"
#include "sinew/geometry/operators/solver.h"

namespace sinew::geometry {
namespace {

constexpr double kLeastWeight = 1e-3;  // Of the mean weight.
constexpr Index kFirstLevels = 33;

double cotangent(const Vec3& a, const Vec3& corner, const Vec3& b) {
  const Vec3 u = a - corner, v = b - corner;
  const double sine = u.cross(v).norm();
  return sine > 0 ? u.dot(v) / sine : 0;
}

/// A function on part of a surface.
class HarmonicField {
 public:
  HarmonicField(const LevelSurface& surface, std::span<const Index> domain) : s_(surface) {
    place_.assign(s_.mesh.vertex_count(), kNone);
    for (const Index v : domain) {
      if (place_[v] != kNone) continue;
      place_[v] = static_cast<Index>(vertices_.size());
      vertices_.push_back(v);
    }
    for (Index f = 0; f < s_.mesh.face_count(); ++f) {
      const auto face = s_.mesh.face(f);
      if (std::all_of(face.begin(), face.end(), [&](Index v) { return place_[v] != kNone; })) faces_.push_back(f);
    }
  }

  void solve(std::span<const Index> low, std::span<const Index> high) {
    std::vector<Index> fixed;
    std::vector<double> fixed_values;
    std::vector<char> is_fixed(vertices_.size(), 0);
    const auto fix = [&](std::span<const Index> which, double value) {
      for (const Index v : which) {
        if (place_[v] == kNone || is_fixed[place_[v]]) continue;
        is_fixed[place_[v]] = 1;
        fixed.push_back(place_[v]);
        fixed_values.push_back(value);
      }
    };
    fix(low, 0);
    fix(high, 1);
    const auto n = static_cast<Index>(vertices_.size());
    const SparseMatrix matrix = assemble(n, entries());
    const FixedValueSolver solver(matrix, fixed, {.regularization_rel = 1e-12});
    Eigen::MatrixXd values(static_cast<Eigen::Index>(fixed.size()), 1);
    for (std::size_t i = 0; i < fixed.size(); ++i) values(static_cast<Eigen::Index>(i), 0) = fixed_values[i];
    const Solution solution = solver.solve(Eigen::MatrixXd::Zero(n, 1), values);
    values_.resize(n);
    for (Index i = 0; i < n; ++i) values_[i] = std::clamp(solution.x(i, 0), 0.0, 1.0);
  }

  /// The lines of a level set. Half-edges that rise over the level lead from triangle to triangle.
  std::vector<LevelCurve> lines(double level) const {
    std::vector<LevelCurve> result;
    std::vector<Index> starts;
    std::vector<char> done(s_.edges.size(), 0);
    for (const Index f : faces_)
      for (Index h = s_.mesh.face_offsets[f]; h < s_.mesh.face_offsets[f + 1]; ++h)
        if (rises(h, level)) starts.push_back(h);
    // Lines that begin at the end of the domain come first, so that each is traced from its begin.
    std::stable_partition(starts.begin(), starts.end(), [&](Index h) { return !inside(s_.edges.twin[h]); });
    for (const Index start : starts) {
      if (done[start]) continue;
      LevelCurve line;
      line.level = level;
      for (Index h = start;;) {
        done[h] = 1;
        line.points.push_back(point(h, level));
        Index out = s_.edges.next[h];
        if (!falls(out, level)) out = s_.edges.next[out];
        const Index next = s_.edges.twin[out];
        if (!inside(next)) {
          line.points.push_back(point(out, level));
          break;
        }
        line.closed = next == start;
        if (done[next]) break;
        h = next;
      }
      result.push_back(std::move(line));
    }
    return result;
  }

  const std::vector<Index>& vertices() const { return vertices_; }
  const std::vector<double>& values() const { return values_; }

 private:
  double value(Index v) const { return values_[place_[v]]; }
  Index to(Index h) const { return s_.edges.vertex[s_.edges.next[h]]; }
  bool inside(Index h) const {
    return h != kNone && place_[s_.edges.vertex[h]] != kNone && place_[to(h)] != kNone &&
           place_[s_.edges.vertex[s_.edges.prev[h]]] != kNone;
  }
  bool rises(Index h, double level) const { return value(s_.edges.vertex[h]) <= level && value(to(h)) > level; }
  bool falls(Index h, double level) const { return value(s_.edges.vertex[h]) > level && value(to(h)) <= level; }
  CurvePoint point(Index h, double level) const {
    Index a = s_.edges.vertex[h], b = to(h);
    if (b < a) std::swap(a, b);
    return {a, b, std::clamp((level - value(a)) / (value(b) - value(a)), 0.0, 1.0)};
  }

  std::vector<MatrixEntry> entries() const {
    std::vector<double> weights;
    std::vector<std::array<Index, 2>> ends;
    for (const Index f : faces_) {
      const auto face = s_.mesh.face(f);
      for (std::size_t i = 0; i < 3; ++i) {
        const Index a = face[i], b = face[(i + 1) % 3], c = face[(i + 2) % 3];
        weights.push_back(0.5 * cotangent(s_.mesh.positions[a], s_.mesh.positions[c], s_.mesh.positions[b]));
        ends.push_back({place_[a], place_[b]});
      }
    }
    double mean = 0;
    for (const double w : weights) mean += std::abs(w) / static_cast<double>(weights.size());
    std::vector<MatrixEntry> entries;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      // Half-edges are raised one by one: a little more than the edge needs, but still symmetric.
      const double w = std::clamp(weights[i], kLeastWeight * mean, 1e3 * mean);
      const auto [a, b] = ends[i];
      entries.push_back({a, b, -w});
      entries.push_back({b, a, -w});
      entries.push_back({a, a, w});
      entries.push_back({b, b, w});
    }
    return entries;
  }

  const LevelSurface& s_;
  std::vector<Index> place_;
  std::vector<Index> vertices_;
  std::vector<Index> faces_;
  std::vector<double> values_;
};

/// Levels whose centres are evenly spaced, from curves at other levels.
std::vector<double> even_levels(const Mesh& mesh, const std::vector<LevelCurve>& curves, Index count) {
  std::vector<double> way = {0}, levels = {curves.front().level};
  for (std::size_t i = 1; i < curves.size(); ++i) {
    const Vec3 step = curve_centre(curves[i].points, mesh.positions, curves[i].closed).position -
                      curve_centre(curves[i - 1].points, mesh.positions, curves[i - 1].closed).position;
    way.push_back(way.back() + std::max(step.norm(), 1e-12 * mesh.size()));
    levels.push_back(curves[i].level);
  }
  std::vector<double> result;
  for (Index k = 0; k < count; ++k) {
    const double at = way.back() * k / std::max<Index>(1, count - 1);
    const auto up = std::upper_bound(way.begin() + 1, way.end() - 1, at) - way.begin();
    const auto i = static_cast<std::size_t>(up);
    const double t = std::clamp((at - way[i - 1]) / (way[i] - way[i - 1]), 0.0, 1.0);
    result.push_back(levels[i - 1] + t * (levels[i] - levels[i - 1]));
  }
  return result;
}

/// A fan of triangles over a hole, such as that of an eye, so that a head is a disc. Without it level sets would end at
/// the hole.
void fill_hole(const CurveSurface& surface, std::span<const Index> loop, Mesh& mesh) {
  for (const Index h : loop)
    if (surface.edges.kind[h] != EdgeKind::kBoundary) return;
  for (std::size_t i = 2; i < loop.size(); ++i) {
    const std::array<Index, 3> corners = {surface.from(loop[0]), surface.from(loop[i]), surface.from(loop[i - 1])};
    if (corners[0] != corners[1] && corners[0] != corners[2] && corners[1] != corners[2]) mesh.add_face(corners);
  }
}

/// χ of the triangles, edges and vertices that lie wholly in a set.
int euler_number(const LevelSurface& s, const std::vector<char>& inside) {
  int sum = 0;
  for (const char in : inside) sum += in ? 1 : 0;
  for (Index h = 0; h < s.edges.size(); ++h) {
    if (s.edges.twin[h] != kNone && s.edges.twin[h] < h) continue;
    if (inside[s.edges.vertex[h]] && inside[s.edges.vertex[s.edges.next[h]]]) --sum;
  }
  for (Index f = 0; f < s.mesh.face_count(); ++f) {
    const auto face = s.mesh.face(f);
    if (std::all_of(face.begin(), face.end(), [&](Index v) { return inside[v] != 0; })) ++sum;
  }
  return sum;
}

}  // namespace

LevelSurface level_surface(const CurveSurface& surface) {
  LevelSurface result;
  result.mesh.positions = surface.mesh.positions;
  for (const Triangle& triangle : triangulate(surface.mesh)) result.mesh.add_face(triangle.vertices);
  const Lists holes = boundary_loops(surface.edges);
  for (std::size_t i = 0; i < holes.size(); ++i) fill_hole(surface, holes[i], result.mesh);
  result.edges = half_edges(result.mesh);
  return result;
}

LevelSets level_sets(const LevelSurface& surface, std::span<const Index> domain, std::span<const Index> low,
                     std::span<const Index> high, Index count) {
  HarmonicField field(surface, domain);
  field.solve(low, high);
  LevelSets result;
  const auto single = [&](const std::vector<double>& levels) {
    std::vector<LevelCurve> curves;
    result.split = 0;
    for (const double level : levels) {
      std::vector<LevelCurve> lines = field.lines(level);
      std::erase_if(lines, [](const LevelCurve& line) { return line.points.size() < 3; });
      if (lines.size() == 1) curves.push_back(std::move(lines.front()));
      else ++result.split;
    }
    return curves;
  };
  std::vector<double> levels;
  for (Index k = 0; k < kFirstLevels; ++k) levels.push_back((k + 0.5) / kFirstLevels);
  result.curves = single(levels);
  for (int pass = 0; pass < 2 && result.curves.size() >= 3; ++pass)
    result.curves = single(even_levels(surface.mesh, result.curves, pass == 0 ? kFirstLevels : count));
  result.vertices = field.vertices();
  result.values = field.values();
  return result;
}

LevelSets limb_level_sets(const LevelSurface& surface, const SurfaceGraph& graph, const LimbTips& tips,
                          const LimbTip& tip) {
  const double top = tips.field[tip.vertex];
  std::vector<char> inside(surface.mesh.vertex_count(), 0);
  std::vector<Index> region = tip.region;
  double level = tips.field[region.back()];
  for (int attempt = 0;; ++attempt) {
    std::fill(inside.begin(), inside.end(), 0);
    for (const Index v : region) inside[v] = 1;
    if (euler_number(surface, inside) == 1) break;
    constexpr int kMostAttempts = 12;
    if (attempt == kMostAttempts) return {};
    level += 0.06 * (top - level);
    // Only what still hangs together with the tip.
    std::fill(inside.begin(), inside.end(), 0);
    for (const Index v : region) inside[v] = tips.field[v] > level ? 1 : 0;
    const std::vector<double> reached = graph_distances(graph, std::span(&tip.vertex, 1), &inside);
    std::erase_if(region, [&](Index v) { return !std::isfinite(reached[v]); });
    if (region.size() < 8) return {};
  }
  const std::vector<double> distance = graph_distances(graph, std::span(&tip.vertex, 1), &inside);
  double length = 0;
  for (const Index v : region) length = std::max(length, distance[v]);
  const double disc = std::min(0.4 * length, std::max(tip.radius, 0.12 * length));
  std::vector<Index> low, high, domain = region;
  for (const Index v : region)
    if (distance[v] <= disc) low.push_back(v);
  for (Index h = 0; h < surface.edges.size(); ++h) {
    const Index a = surface.edges.vertex[h], b = surface.edges.vertex[surface.edges.next[h]];
    if (inside[a] == inside[b]) continue;
    const Index outside = inside[a] ? b : a;
    high.push_back(outside), domain.push_back(outside);
  }
  if (high.empty() || low.empty()) return {};
  const double spacing = 2 * kPi * tip.radius / 16;
  const auto count = static_cast<Index>(std::clamp(std::lround(length / std::max(spacing, 1e-9 * length)), 7L, 64L));
  return level_sets(surface, domain, low, high, count);
}

}  // namespace sinew::geometry
