// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/intrinsic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/core/parallel.h"

namespace sinew::geometry {
namespace {

// Weights above this are rounding about 0: points on one circle, where either diagonal is Delaunay.
constexpr double kDelaunayTolerance = -1e-9;

Index next_in_triangle(Index h) { return h % 3 == 2 ? h - 2 : h + 1; }
Index before_in_triangle(Index h) { return h % 3 == 0 ? h + 2 : h - 1; }

// Half-edges are bucketed by their lower vertex; each bucket sorts its own few.
std::vector<Index> pair_half_edges(Index vertex_count, std::span<const std::array<Index, 3>> triangles) {
  const std::size_t count = 3 * triangles.size();
  const auto ends = [&](std::size_t h) {
    return std::pair(triangles[h / 3][h % 3], triangles[h / 3][(h % 3 + 1) % 3]);
  };
  std::vector<Index> offsets(vertex_count + std::size_t{1}, 0);
  for (std::size_t h = 0; h < count; ++h) {
    const auto e = ends(h);
    ++offsets[std::min(e.first, e.second) + std::size_t{1}];
  }
  for (std::size_t v = 0; v < vertex_count; ++v) offsets[v + 1] += offsets[v];
  std::vector<std::pair<Index, Index>> around(count);  // Upper vertex, half-edge.
  std::vector<Index> cursor(offsets.begin(), offsets.end() - 1);
  for (std::size_t h = 0; h < count; ++h) {
    const auto e = ends(h);
    around[cursor[std::min(e.first, e.second)]++] = {std::max(e.first, e.second), static_cast<Index>(h)};
  }
  std::vector<Index> twins(count, kNone);
  parallel_for(vertex_count, [&](std::size_t v) {
    const auto first = around.begin() + offsets[v], last = around.begin() + offsets[v + 1];
    std::sort(first, last);
    for (auto run = first; run != last;) {
      auto end = run;
      while (end != last && end->first == run->first) ++end;
      if (end - run == 2) {
        const Index a = run->second, b = (run + 1)->second;
        if (ends(a).first == ends(b).second) twins[a] = b, twins[b] = a;
      }
      run = end;
    }
  });
  return twins;
}

double missing_slack(const std::array<double, 3>& l, double slack) {
  const double longest = std::max({l[0], l[1], l[2]});
  const double others = l[0] + l[1] + l[2] - longest;
  return std::max(0.0, slack + longest - others);
}

class DelaunayFlips {
 public:
  explicit DelaunayFlips(IntrinsicTriangulation& t) : t_(t), queued_(t.twins.size(), 0) {}

  void run() {
    const std::uint64_t limit = t_.flips + 100 * std::uint64_t{t_.twins.size()};
    for (Index h = 0; h < t_.twins.size(); ++h) push(h);
    // A first-in first-out queue, as a vector with a head that is cut off now and then.
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      if (head > 65536 && 2 * head > queue_.size()) {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head));
        head = 0;
      }
      const Index h = queue_[head];
      queued_[h] = 0;
      if (weight(h) >= kDelaunayTolerance) continue;
      // Every flip lowers an energy, so that this ends; the limit is there for what rounding might do.
      if (t_.flips < limit && flip(h)) ++t_.flips;
      else ++t_.stuck;
    }
  }

 private:
  double& length(Index h) { return t_.lengths[h / 3][h % 3]; }
  Index& vertex(Index h) { return t_.triangles[h / 3][h % 3]; }

  // Each edge is queued once, by its lower half-edge.
  void push(Index h) {
    if (t_.twins[h] == kNone) return;
    h = std::min(h, t_.twins[h]);
    if (queued_[h] != 0) return;
    queued_[h] = 1;
    queue_.push_back(h);
  }

  double facing_cotangent(Index h) { return cotangents(t_.lengths[h / 3])[(h % 3 + 2) % 3]; }

  double weight(Index h) {
    const Index twin = t_.twins[h];
    if (twin == kNone || h / 3 == twin / 3) return 0;
    return facing_cotangent(h) + facing_cotangent(twin);
  }

  // The other diagonal of the two triangles laid flat: the edge from (0, 0) to (l, 0), one tip above, one below.
  double other_diagonal(Index h, Index g) {
    const double l = length(h);
    const double up = length(before_in_triangle(h)), down = length(next_in_triangle(g));  // From the edge's start.
    const double up_end = length(next_in_triangle(h)), down_end = length(before_in_triangle(g));
    const double x_up = (l * l + (up - up_end) * (up + up_end)) / (2 * l);
    const double x_down = (l * l + (down - down_end) * (down + down_end)) / (2 * l);
    const double y_up = 2 * triangle_area(l, up, up_end) / l, y_down = 2 * triangle_area(l, down, down_end) / l;
    return std::hypot(x_up - x_down, y_up + y_down);
  }

  // a→b with tips c (left) and d (right) becomes d→c: triangles (c, a, d) and (d, b, c).
  bool flip(Index h) {
    const Index g = t_.twins[h];
    const Index bc = next_in_triangle(h), ca = before_in_triangle(h), ad = next_in_triangle(g),
                db = before_in_triangle(g);
    const double diagonal = other_diagonal(h, g);
    if (!(triangle_area(length(ca), length(ad), diagonal) > 0) ||
        !(triangle_area(length(db), length(bc), diagonal) > 0))
      return false;
    const Index a = vertex(h), b = vertex(g), c = vertex(ca), d = vertex(db);
    const std::array<double, 4> l = {length(ca), length(ad), length(db), length(bc)};
    const std::array<Index, 4> old = {ca, ad, db, bc};
    const Index s = h / 3, t = g / 3;
    const std::array<Index, 4> fresh = {3 * s, 3 * s + 1, 3 * t, 3 * t + 1};
    std::array<Index, 4> outer;
    for (std::size_t i = 0; i < 4; ++i) {
      outer[i] = t_.twins[old[i]];
      for (std::size_t j = 0; j < 4; ++j)
        if (outer[i] == old[j]) outer[i] = fresh[j];  // Glued to another side of the same two triangles.
    }
    t_.triangles[s] = {c, a, d};
    t_.triangles[t] = {d, b, c};
    t_.lengths[s] = {l[0], l[1], diagonal};
    t_.lengths[t] = {l[2], l[3], diagonal};
    for (std::size_t i = 0; i < 4; ++i) {
      t_.twins[fresh[i]] = outer[i];
      if (outer[i] != kNone) t_.twins[outer[i]] = fresh[i];
    }
    t_.twins[3 * s + 2] = 3 * t + 2;
    t_.twins[3 * t + 2] = 3 * s + 2;
    for (const Index f : fresh) push(f);
    return true;
  }

  IntrinsicTriangulation& t_;
  std::vector<Index> queue_;
  std::vector<char> queued_;
};

}  // namespace

double triangle_area(double a, double b, double c) {
  if (a < b) std::swap(a, b);
  if (b < c) std::swap(b, c);
  if (a < b) std::swap(a, b);
  const double product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
  return product > 0 ? std::sqrt(product) / 4 : 0;
}

std::array<double, 3> cotangents(const std::array<double, 3>& l) {
  const double longest = std::max({l[0], l[1], l[2]});
  if (!(longest > 0)) return {0, 0, 0};
  // Relative to the longest side, so that squares of tiny lengths do not vanish.
  const double a = l[1] / longest, b = l[2] / longest, c = l[0] / longest;
  const double area4 = 4 * std::max(triangle_area(a, b, c), 1e-12);
  const auto cotangent = [&](double facing, double p, double q) {
    return ((p - facing) * (p + facing) + q * q) / area4;
  };
  return {cotangent(a, b, c), cotangent(b, c, a), cotangent(c, a, b)};
}

IntrinsicTriangulation intrinsic_triangulation(std::span<const Vec3> positions,
                                               std::span<const std::array<Index, 3>> triangles, double slack_rel) {
  IntrinsicTriangulation t;
  t.vertex_count = static_cast<Index>(positions.size());
  t.triangles.reserve(triangles.size());
  for (const auto& v : triangles)
    if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) t.triangles.push_back(v);
  t.left_out = static_cast<Index>(triangles.size() - t.triangles.size());
  t.lengths.resize(t.triangles.size());
  parallel_for(t.triangles.size(), [&](std::size_t i) {
    const auto& v = t.triangles[i];
    for (std::size_t k = 0; k < 3; ++k) {
      // Both sides of an edge take the difference the same way round: equal bits.
      const Index a = std::min(v[k], v[(k + 1) % 3]), b = std::max(v[k], v[(k + 1) % 3]);
      t.lengths[i][k] = (positions[b] - positions[a]).stableNorm();
    }
  });
  t.twins = pair_half_edges(t.vertex_count, t.triangles);
  if (t.triangles.empty()) return t;
  const double sum = parallel_reduce(
      t.lengths.size(), 0.0,
      [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t i = begin; i < end; ++i) part += t.lengths[i][0] + t.lengths[i][1] + t.lengths[i][2];
        return part;
      },
      [](double a, double b) { return a + b; });
  t.mean_length = sum / static_cast<double>(3 * t.lengths.size());
  // Vertices all in one place: any length will do, and it makes every triangle equilateral.
  const double slack = t.mean_length > 0 ? slack_rel * t.mean_length : 1;
  for (const auto& l : t.lengths) t.mollification = std::max(t.mollification, missing_slack(l, slack));
  if (t.mollification > 0)
    for (auto& l : t.lengths)
      for (double& length : l) length += t.mollification;
  return t;
}

void make_delaunay(IntrinsicTriangulation& t) { DelaunayFlips(t).run(); }

}  // namespace sinew::geometry
