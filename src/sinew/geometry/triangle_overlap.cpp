// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Two triangles in different planes meet in a piece of the line common to both planes. Each end of that piece lies on an
// edge of one triangle and in the other triangle, so it is enough to test edges against triangles. An edge that lies in
// the other's plane needs no test of its own: where it meets the other triangle, a neighbouring edge that leaves the
// plane, or an edge of the other triangle, meets it too.

#include "sinew/geometry/triangle_overlap.h"

#include "sinew/geometry/predicates.h"

namespace sinew::geometry {
namespace {

using Signs = std::array<int, 3>;
using Flat = std::array<Vec2, 3>;

Signs sides(const TrianglePoints& plane, const TrianglePoints& points) {
  return {orient3d(plane[0], plane[1], plane[2], points[0]), orient3d(plane[0], plane[1], plane[2], points[1]),
          orient3d(plane[0], plane[1], plane[2], points[2])};
}

bool apart(const Signs& s) { return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0); }
bool coplanar(const Signs& s) { return s[0] == 0 && s[1] == 0 && s[2] == 0; }

// Whether the line through p and q, which crosses the triangle's plane in one point, does so in the triangle.
bool line_hits(const Vec3& p, const Vec3& q, const TrianglePoints& t) {
  const int s0 = orient3d(p, q, t[0], t[1]);
  const int s1 = orient3d(p, q, t[1], t[2]);
  if (s0 * s1 < 0) return false;
  const int s2 = orient3d(p, q, t[2], t[0]);
  return s0 * s2 >= 0 && s1 * s2 >= 0;
}

// `side` says on which side of t's plane each corner of `edges` lies.
bool an_edge_hits(const TrianglePoints& edges, const Signs& side, const TrianglePoints& t) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    if (side[i] * side[j] > 0 || (side[i] == 0 && side[j] == 0)) continue;
    if (line_hits(edges[i], edges[j], t)) return true;
  }
  return false;
}

bool within(double a, double b, double x) { return (a <= x && x <= b) || (b <= x && x <= a); }

bool on_segment(const Vec2& a, const Vec2& b, const Vec2& p) {
  return within(a.x(), b.x(), p.x()) && within(a.y(), b.y(), p.y());
}

bool segments_meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const int a_side = orient2d(c, d, a), b_side = orient2d(c, d, b);
  const int c_side = orient2d(a, b, c), d_side = orient2d(a, b, d);
  if (a_side * b_side < 0 && c_side * d_side < 0) return true;
  return (a_side == 0 && on_segment(c, d, a)) || (b_side == 0 && on_segment(c, d, b)) ||
         (c_side == 0 && on_segment(a, b, c)) || (d_side == 0 && on_segment(a, b, d));
}

bool contains(const Flat& t, const Vec2& p) {
  const int s0 = orient2d(t[0], t[1], p), s1 = orient2d(t[1], t[2], p), s2 = orient2d(t[2], t[0], p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

bool coplanar_intersect(const TrianglePoints& a, const TrianglePoints& b) {
  for (int drop = 0; drop < 3; ++drop) {
    const auto flat = [drop](const TrianglePoints& t) {
      Flat f;
      for (std::size_t i = 0; i < 3; ++i) f[i] = {t[i][(drop + 1) % 3], t[i][(drop + 2) % 3]};
      return f;
    };
    const Flat fa = flat(a), fb = flat(b);
    // Along this axis the plane must not be seen edge-on.
    if (orient2d(fa[0], fa[1], fa[2]) == 0 || orient2d(fb[0], fb[1], fb[2]) == 0) continue;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (segments_meet(fa[i], fa[(i + 1) % 3], fb[j], fb[(j + 1) % 3])) return true;
    return contains(fa, fb[0]) || contains(fb, fa[0]);
  }
  return false;
}

}  // namespace

bool triangles_intersect(const TrianglePoints& a, const TrianglePoints& b) {
  const Signs a_side = sides(b, a);
  if (apart(a_side)) return false;
  const Signs b_side = sides(a, b);
  if (apart(b_side)) return false;
  // Either both lie in one plane, or one has no area and every point seems to lie in its plane.
  if (coplanar(a_side) || coplanar(b_side)) return coplanar_intersect(a, b);
  return an_edge_hits(a, a_side, b) || an_edge_hits(b, b_side, a);
}

}  // namespace sinew::geometry
