// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/winding_number.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/predicates.h"

namespace sinew::geometry {
namespace {

// Rays run along +x: characters are symmetric about x = 0, so that rays in that plane would graze edges all along.
Vec2 across(const Vec3& p) { return {p.y(), p.z()}; }

// How an edge a→b, seen along the ray, adds to the turns of a polygon about q. Going back takes it away again, ties
// included, so that two triangles never both claim a ray through their common edge.
int edge_turn(const Vec2& a, const Vec2& b, const Vec2& q) {
  const bool a_below = a.x() <= q.x(), b_below = b.x() <= q.x();
  if (a_below == b_below) return 0;
  if (a_below) return orient2d(a, b, q) > 0 ? 1 : 0;
  return orient2d(b, a, q) > 0 ? -1 : 0;
}

// Signed crossing of the ray from p with a triangle: +1 when it leaves through the front.
int crossing(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  if (std::max({a.x(), b.x(), c.x()}) < p.x()) return 0;
  const Vec2 q = across(p);
  const int turns =
      edge_turn(across(a), across(b), q) + edge_turn(across(b), across(c), q) + edge_turn(across(c), across(a), q);
  if (turns == 0) return 0;
  const int side = orient3d(a, b, c, p);
  return turns > 0 ? (side < 0 ? 1 : 0) : (side > 0 ? -1 : 0);
}

class Crossings {
 public:
  Crossings(const Mesh& mesh, std::span<const Vec3> points) : mesh_(mesh), points_(points), order_(points.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t j) {
      return points[i].y() != points[j].y() ? points[i].y() < points[j].y() : i < j;
    });
    for (const std::size_t i : order_) heights_.push_back(points[i].y());
  }

  std::vector<std::int64_t> count() const {
    return parallel_reduce(
        mesh_.face_count(), std::vector<std::int64_t>(points_.size(), 0),
        [&](std::size_t begin, std::size_t end) {
          std::vector<std::int64_t> counts(points_.size(), 0);
          std::vector<Triangle> triangles;
          for (std::size_t f = begin; f < end; ++f) {
            const auto face = mesh_.face(static_cast<Index>(f));
            if (!reaches_a_point(face)) continue;
            triangles.clear();
            triangulate_face(mesh_, static_cast<Index>(f), triangles);
            for (const Triangle& t : triangles) add(t.vertices, counts);
          }
          return counts;
        },
        [](std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
          for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
          return a;
        },
        32768);
  }

 private:
  bool reaches_a_point(std::span<const Index> face) const {
    if (face.empty()) return false;
    double low = mesh_.positions[face[0]].y(), high = low;
    for (const Index v : face) {
      low = std::min(low, mesh_.positions[v].y());
      high = std::max(high, mesh_.positions[v].y());
    }
    const auto first = std::lower_bound(heights_.begin(), heights_.end(), low);
    return first != heights_.end() && *first <= high;
  }

  void add(const std::array<Index, 3>& t, std::vector<std::int64_t>& counts) const {
    const Vec3 &a = mesh_.positions[t[0]], &b = mesh_.positions[t[1]], &c = mesh_.positions[t[2]];
    const double low = std::min({a.y(), b.y(), c.y()}), high = std::max({a.y(), b.y(), c.y()});
    const auto first = std::lower_bound(heights_.begin(), heights_.end(), low);
    for (auto k = static_cast<std::size_t>(first - heights_.begin()); k < heights_.size() && heights_[k] <= high; ++k)
      counts[order_[k]] += crossing(a, b, c, points_[order_[k]]);
  }

  const Mesh& mesh_;
  std::span<const Vec3> points_;
  std::vector<std::size_t> order_;  // Points by height.
  std::vector<double> heights_;
};

// Signed solid angle of the triangle of three directions. A. van Oosterom, J. Strackee, 1983.
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return 2 * std::atan2(a.dot(b.cross(c)), denominator);
}

}  // namespace

std::vector<double> winding_numbers(const Mesh& mesh, const Welding& welding, const Topology& topology,
                                    std::span<const Vec3> points) {
  const std::vector<std::int64_t> crossings = Crossings(mesh, points).count();
  std::vector<double> result(points.size());
  parallel_for(
      points.size(),
      [&](std::size_t i) {
        double angle = 0;
        for (const OpenEdge& edge : topology.open_edges) {
          const Vec3 a = mesh.positions[welding.first[edge.from]] - points[i];
          const Vec3 b = mesh.positions[welding.first[edge.to]] - points[i];
          angle += edge.surplus * solid_angle(-Vec3::UnitX(), a, b);
        }
        result[i] = static_cast<double>(crossings[i]) + angle / (4 * kPi);
      },
      1);
  return result;
}

}  // namespace sinew::geometry
