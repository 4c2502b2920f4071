// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Two triangles in different planes meet in a piece of the line common to both planes. Each end of that piece lies on
// an edge of one triangle and in the other triangle, so it is enough to test edges against triangles. An edge that lies
// in the other's plane needs no test of its own: where it meets the other triangle, a neighbouring edge that leaves the
// plane, or an edge of the other triangle, meets it too.

#include "sinew/geometry/spatial/triangle_overlap.h"

#include "sinew/geometry/spatial/predicates.h"

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

Flat flattened(const TrianglePoints& t, int drop) {
  Flat f;
  for (std::size_t i = 0; i < 3; ++i) f[i] = {t[i][(drop + 1) % 3], t[i][(drop + 2) % 3]};
  return f;
}

// An axis along which the triangle is not seen edge-on. It has an area, so that there is one.
int clear_axis(const TrianglePoints& t) {
  for (int drop = 0; drop < 2; ++drop) {
    const Flat f = flattened(t, drop);
    if (orient2d(f[0], f[1], f[2]) != 0) return drop;
  }
  return 2;
}

bool segment_meets(const Vec3& p, const Vec3& q, const TrianglePoints& t) {
  const int p_side = orient3d(t[0], t[1], t[2], p), q_side = orient3d(t[0], t[1], t[2], q);
  if (p_side * q_side > 0) return false;
  if (p_side != 0 || q_side != 0) return line_hits(p, q, t);
  const int drop = clear_axis(t);
  const Flat f = flattened(t, drop);
  const Vec2 a(p[(drop + 1) % 3], p[(drop + 2) % 3]), b(q[(drop + 1) % 3], q[(drop + 2) % 3]);
  for (std::size_t i = 0; i < 3; ++i)
    if (segments_meet(f[i], f[(i + 1) % 3], a, b)) return true;
  return contains(f, a);
}

// Both on the edge from p to q, with their third corners c and d.
bool folded_flat(const Vec3& p, const Vec3& q, const Vec3& c, const Vec3& d) {
  if (orient3d(p, q, c, d) != 0) return false;
  const int drop = clear_axis({p, q, c});
  const Flat f = flattened({p, q, c}, drop);
  return orient2d(f[0], f[1], f[2]) == orient2d(f[0], f[1], flattened({p, q, d}, drop)[2]);
}

bool coplanar_intersect(const TrianglePoints& a, const TrianglePoints& b) {
  for (int drop = 0; drop < 3; ++drop) {
    const Flat fa = flattened(a, drop), fb = flattened(b, drop);
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

// Two triangles meet in a convex set. If it holds more than the common corner, it holds a piece of a straight line from
// there, which ends on the far edge of one of the two, inside the other.
bool triangles_meet_elsewhere(const TrianglePoints& a, const TrianglePoints& b) {
  if (collinear(a[0], a[1], a[2]) || collinear(b[0], b[1], b[2])) return false;
  std::array<bool, 3> common = {false, false, false};  // Corners of a.
  std::array<std::size_t, 3> in_b = {0, 0, 0};
  int count = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (a[i] == b[j]) common[i] = true, in_b[i] = j, ++count;
  if (count == 0) return triangles_intersect(a, b);
  if (count == 3) return true;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    if (count == 2 && !common[i]) return folded_flat(a[j], a[k], a[i], b[3 - in_b[j] - in_b[k]]);
    if (count == 1 && common[i])
      return segment_meets(a[j], a[k], b) || segment_meets(b[(in_b[i] + 1) % 3], b[(in_b[i] + 2) % 3], a);
  }
  return false;
}

}  // namespace sinew::geometry
