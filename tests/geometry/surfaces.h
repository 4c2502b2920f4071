// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Surfaces with closed forms for the tests of the operators.

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::test {

using geometry::TriangleSurface;

/// A regular icosahedron, each triangle cut in four `levels` times, on the unit sphere: 10·4^levels + 2 vertices.
inline TriangleSurface icosphere(int levels) {
  TriangleSurface s;
  const double g = std::numbers::phi;
  s.positions = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                 {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  s.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                 {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                 {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (; levels > 0; --levels) {
    std::map<std::pair<Index, Index>, Index> middles;
    const auto middle = [&](Index a, Index b) {
      const auto [place, fresh] = middles.try_emplace(std::minmax(a, b), static_cast<Index>(s.positions.size()));
      if (fresh) s.positions.push_back((s.positions[a] + s.positions[b]) / 2);
      return place->second;
    };
    std::vector<std::array<Index, 3>> finer;
    for (const auto& t : s.triangles) {
      const Index a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
      finer.push_back({t[0], a, c});
      finer.push_back({t[1], b, a});
      finer.push_back({t[2], c, b});
      finer.push_back({a, b, c});
    }
    s.triangles = std::move(finer);
    for (Vec3& p : s.positions) p.normalize();
  }
  for (Vec3& p : s.positions) p.normalize();
  return s;
}

/// A flat square [−1, 1]² of n × n cells in the plane z = 0, facing +z; inner vertices are moved by up to `jitter`
/// cells.
inline TriangleSurface flat_square(Index n, double jitter = 0, unsigned seed = 1) {
  TriangleSurface s;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> shift(-jitter, jitter);
  for (Index i = 0; i <= n; ++i)
    for (Index j = 0; j <= n; ++j) {
      const double dx = shift(random), dy = shift(random);
      const bool inner = i > 0 && i < n && j > 0 && j < n && !(2 * i == n && 2 * j == n);
      s.positions.push_back({2.0 * (j + (inner ? dx : 0)) / n - 1, 2.0 * (i + (inner ? dy : 0)) / n - 1, 0});
    }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index a = i * (n + 1) + j, b = a + 1, c = b + n + 1, d = a + n + 1;
      if ((i + j) % 2 == 0) s.triangles.push_back({a, b, c}), s.triangles.push_back({a, c, d});
      else s.triangles.push_back({a, b, d}), s.triangles.push_back({b, c, d});
    }
  return s;
}

/// Rings of `segments` points: ring i, angle u ↦ a place. Faces outwards when rings follow the right-hand screw of the
/// angle. With `caps` the ends are closed by fans about the rings' centres; with `closed` the last ring joins the
/// first.
inline TriangleSurface rings(Index count, Index segments, const std::function<Vec3(Index, double)>& place,
                             bool caps = true, bool closed = false) {
  TriangleSurface s;
  for (Index i = 0; i < count; ++i)
    for (Index k = 0; k < segments; ++k) s.positions.push_back(place(i, kTwoPi * k / segments));
  const auto at = [&](Index i, Index k) { return (i % count) * segments + k % segments; };
  for (Index i = 0; i + (closed ? 0 : 1) < count; ++i)
    for (Index k = 0; k < segments; ++k) {
      s.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k + 1)});
      s.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i + 1, k)});
    }
  if (!caps || closed) return s;
  for (const Index i : {Index{0}, count - 1}) {
    Vec3 center = Vec3::Zero();
    for (Index k = 0; k < segments; ++k) center += s.positions[at(i, k)] / segments;
    const auto tip = static_cast<Index>(s.positions.size());
    s.positions.push_back(center);
    for (Index k = 0; k < segments; ++k) {
      if (i == 0) s.triangles.push_back({tip, at(i, k + 1), at(i, k)});
      else s.triangles.push_back({tip, at(i, k), at(i, k + 1)});
    }
  }
  return s;
}

/// A cylinder about the z axis, from z = 0 to `height`.
inline TriangleSurface cylinder(Index layers, Index segments, double radius, double height, bool caps = true) {
  return rings(
      layers + 1, segments,
      [=](Index i, double u) { return Vec3(radius * std::cos(u), radius * std::sin(u), height * i / layers); }, caps);
}

/// A torus about the z axis.
inline TriangleSurface torus(Index count, Index segments, double large, double small) {
  return rings(
      count, segments,
      [=](Index i, double u) {
        const double a = kTwoPi * i / count, r = large + small * std::cos(u);
        return Vec3(r * std::cos(a), r * std::sin(a), -small * std::sin(u));
      },
      false, true);
}

inline Mesh as_mesh(const TriangleSurface& s) {
  Mesh mesh;
  mesh.positions = s.positions;
  for (const auto& t : s.triangles) mesh.add_face(t);
  return mesh;
}

/// Area of a regular polygon in a circle.
inline double polygon_area(Index corners, double radius) {
  return corners * radius * radius * std::sin(kTwoPi / corners) / 2;
}

/// What `f` gives with one thread and with two.
template <class F>
auto with_one_and_two_threads(F&& f) {
  using Result = decltype(f());
  std::pair<Result, Result> results;
  {
    const Threads threads(1);
    results.first = f();
  }
  const Threads threads(2);
  results.second = f();
  return results;
}

}  // namespace sinew::test
