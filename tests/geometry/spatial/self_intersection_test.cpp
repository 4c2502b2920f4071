// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/self_intersection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <random>

#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/predicates.h"
#include "sinew/geometry/spatial/triangle_overlap.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

SelfIntersections find(const Mesh& mesh) { return self_intersections(mesh, {.list = true}); }

using Vec3i = Eigen::Matrix<std::int64_t, 3, 1>;

// Two flat convex shapes are apart exactly when their shadows are on one of these axes; in whole numbers there is no
// rounding. Shares nothing with the tested code.
bool meet_by_separating_axes(const TrianglePoints& a, const TrianglePoints& b) {
  std::array<Vec3i, 3> p, q, ea, eb;
  for (std::size_t i = 0; i < 3; ++i) p[i] = a[i].cast<std::int64_t>(), q[i] = b[i].cast<std::int64_t>();
  for (std::size_t i = 0; i < 3; ++i) ea[i] = p[(i + 1) % 3] - p[i], eb[i] = q[(i + 1) % 3] - q[i];
  const Vec3i na = ea[0].cross(ea[1]), nb = eb[0].cross(eb[1]);
  std::vector<Vec3i> axes = {na, nb};
  for (std::size_t i = 0; i < 3; ++i) {
    axes.push_back(na.cross(ea[i]));
    axes.push_back(nb.cross(eb[i]));
    for (std::size_t j = 0; j < 3; ++j) axes.push_back(ea[i].cross(eb[j]));
  }
  for (const Vec3i& axis : axes) {
    std::int64_t low_a = std::numeric_limits<std::int64_t>::max(), high_a = std::numeric_limits<std::int64_t>::min();
    std::int64_t low_b = low_a, high_b = high_a;
    for (std::size_t i = 0; i < 3; ++i) {
      low_a = std::min(low_a, axis.dot(p[i])), high_a = std::max(high_a, axis.dot(p[i]));
      low_b = std::min(low_b, axis.dot(q[i])), high_b = std::max(high_b, axis.dot(q[i]));
    }
    if (high_a < low_b || high_b < low_a) return false;
  }
  return true;
}

TrianglePoints random_triangle(std::mt19937& random, int range) {
  for (;;) {
    TrianglePoints t;
    for (Vec3& p : t)
      for (int k = 0; k < 3; ++k) p[k] = static_cast<double>(random() % static_cast<unsigned>(range));
    if (!collinear(t[0], t[1], t[2])) return t;
  }
}

RC_GTEST_PROP(TriangleOverlap, AgreesWithSeparatingAxes, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  for (int i = 0; i < 500; ++i) {
    const int range = 2 + i % 7;  // Few places: many touch, and many share a plane.
    const TrianglePoints a = random_triangle(random, range), b = random_triangle(random, range);
    RC_ASSERT(triangles_intersect(a, b) == meet_by_separating_axes(a, b));
    RC_ASSERT(triangles_intersect(b, a) == meet_by_separating_axes(a, b));
  }
}

TEST(TriangleOverlap, TrianglesOfOnePlaneMeetWhenTheyOverlapTouchOrContain) {
  const TrianglePoints big = {Vec3(0, 0, 1), Vec3(4, 0, 1), Vec3(0, 4, 1)};
  EXPECT_TRUE(triangles_intersect(big, {Vec3(0.5, 0.5, 1), Vec3(1, 0.5, 1), Vec3(0.5, 1, 1)}));
  EXPECT_TRUE(triangles_intersect(big, {Vec3(1, 1, 1), Vec3(5, 1, 1), Vec3(5, 5, 1)}));
  EXPECT_TRUE(triangles_intersect(big, {Vec3(2, 2, 1), Vec3(5, 2, 1), Vec3(5, 5, 1)}));
  EXPECT_FALSE(triangles_intersect(big, {Vec3(3, 3, 1), Vec3(5, 3, 1), Vec3(5, 5, 1)}));
  EXPECT_FALSE(triangles_intersect(big, {Vec3(0.5, 0.5, 2), Vec3(1, 0.5, 2), Vec3(0.5, 1, 2)}));
}

TEST(TriangleOverlap, TriangleWithoutAreaMeetsNothing) {
  const TrianglePoints needle = {Vec3(0.2, 0.2, -1), Vec3(0.2, 0.2, 0), Vec3(0.2, 0.2, 1)};
  const TrianglePoints flat = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  EXPECT_FALSE(triangles_intersect(needle, flat));
  EXPECT_FALSE(triangles_intersect(flat, needle));
}

TEST(Predicates, SignOfANearlyFlatTetrahedronIsExact) {
  // d lies one unit in the last place above the plane z = x through points that a plain determinant rounds to 0.
  const Vec3 a(0.1, 0.3, 0.1), b(0.7, 0.2, 0.7), c(0.4, 0.9, 0.4);
  const double x = 0.123456789;
  EXPECT_EQ(orient3d(a, b, c, Vec3(x, 0.5, x)), 0);
  const double up = std::nextafter(x, 1.0), down = std::nextafter(x, 0.0);
  const int above = orient3d(a, b, c, Vec3(x, 0.5, up));
  EXPECT_NE(above, 0);
  EXPECT_EQ(orient3d(a, b, c, Vec3(x, 0.5, down)), -above);
  EXPECT_EQ(orient3d(b, a, c, Vec3(x, 0.5, up)), -above);
}

RC_GTEST_PROP(Predicates, AgreeWithWholeNumbers, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::array<Vec3, 4> p;
  for (Vec3& v : p)
    for (int k = 0; k < 3; ++k) v[k] = static_cast<double>(random() % (1u << 30)) + (k == 0 ? 1e9 : 0);
  p[3] = p[0] + 2 * (p[1] - p[0]) - (p[2] - p[0]);  // In the plane, exactly; then one step off, or not.
  p[3].z() += static_cast<double>(random() % 3) - 1;
  std::array<std::array<__int128, 3>, 3> m;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      m[i][k] = static_cast<std::int64_t>(p[i + 1][static_cast<int>(k)]) -
                static_cast<std::int64_t>(p[0][static_cast<int>(k)]);
  const __int128 det = m[2][0] * (m[0][1] * m[1][2] - m[0][2] * m[1][1]) +
                       m[2][1] * (m[0][2] * m[1][0] - m[0][0] * m[1][2]) +
                       m[2][2] * (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
  RC_ASSERT(orient3d(p[0], p[1], p[2], p[3]) == (det > 0) - (det < 0));
}

TEST(SelfIntersection, ClosedConvexSurfaceHasNone) {
  EXPECT_EQ(find(sphere()).inside_parts, 0u);
  EXPECT_EQ(find(cube()).inside_parts, 0u);
  EXPECT_EQ(find(Mesh{}).inside_parts, 0u);
}

TEST(SelfIntersection, TriangleThroughATetrahedronCutsItsFaces) {
  // A spike through the slanted face alone.
  Mesh mesh = joined(tetrahedron(), mesh_of({{0.2, 0.2, 0.2}, {2, 2, 2.1}, {2, 2.1, 2}}, {{0, 1, 2}}));
  const SelfIntersections found = find(mesh);
  ASSERT_EQ(found.inside_parts, 1u);
  EXPECT_EQ(found.pairs, (std::vector<TrianglePair>{{3, 4}}));
}

TEST(SelfIntersection, PairsBetweenPartsAreAnotherFigure) {
  const Mesh a = sphere(), b = sphere(12, 16, Vec3(0.7, 0.1, 0.2));
  const SelfIntersections one = find(joined(a, b)), two = find(as_parts(a, b));
  EXPECT_GT(one.inside_parts, 0u);
  EXPECT_EQ(one.between_parts, 0u);
  EXPECT_EQ(two.inside_parts, 0u);
  EXPECT_EQ(two.between_parts, one.inside_parts);
  EXPECT_EQ(one.pairs, two.pairs);
  EXPECT_EQ(self_intersections(as_parts(a, b), {.between_parts = false}).between_parts, 0u);
}

TEST(SelfIntersection, PartsThatMeetAtASeamDoNotIntersect) {
  // Two triangles of different parts with a common edge.
  const Mesh a = mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  const Mesh b = mesh_of({{1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}});
  EXPECT_EQ(find(as_parts(a, b)).between_parts, 0u);
}

Mesh random_soup(unsigned seed, Index triangles) {
  std::mt19937 random(seed);
  Mesh mesh;
  for (Index t = 0; t < triangles; ++t) {
    const Vec3 corner(double(random() % 20), double(random() % 20), double(random() % 20));
    for (const Vec3& p : random_triangle(random, 5)) mesh.positions.push_back(corner + p);
    mesh.add_face(std::vector<Index>{3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

TEST(SelfIntersection, AgreesWithAllPairsOnSoups) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Mesh mesh = random_soup(seed, 400);
    const Welding welding = weld(mesh);
    std::vector<TrianglePair> expected;
    const auto points = [&](Index t) {
      return TrianglePoints{mesh.positions[3 * t], mesh.positions[3 * t + 1], mesh.positions[3 * t + 2]};
    };
    for (Index a = 0; a < mesh.face_count(); ++a)
      for (Index b = a + 1; b < mesh.face_count(); ++b) {
        bool share = false;
        for (Index i = 0; i < 3; ++i)
          for (Index j = 0; j < 3; ++j) share = share || welding.welded[3 * a + i] == welding.welded[3 * b + j];
        if (!share && meet_by_separating_axes(points(a), points(b))) expected.push_back({a, b});
      }
    EXPECT_GT(expected.size(), 50u);
    const SelfIntersections found = find(mesh);
    EXPECT_EQ(found.pairs, expected);
    EXPECT_EQ(found.inside_parts, expected.size());
  }
}

TEST(SelfIntersection, OrderAndRigidMotionDoNotMatter) {
  const Mesh mesh = joined(sphere(), sphere(10, 14, Vec3(0.7, 0.1, 0.2), 0.8));
  const std::uint64_t expected = find(mesh).inside_parts;
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(find(shuffled(mesh, 3)).inside_parts, expected);
  EXPECT_EQ(find(moved(mesh)).inside_parts, expected);
}

TEST(SelfIntersection, SameForAnyNumberOfThreads) {
  const Mesh mesh = random_soup(11, 6000);
  SelfIntersections one, two;
  {
    const Threads threads(1);
    one = find(mesh);
  }
  {
    const Threads threads(2);
    two = find(mesh);
  }
  EXPECT_EQ(one.pairs, two.pairs);
}

// Cuts both triangles in whole numbers back from what they share, and asks the slow test whether what is left still
// meets.
bool meet_elsewhere_by_shrinking(const TrianglePoints& a, const TrianglePoints& b) {
  TrianglePoints p = a, q = b;
  std::vector<std::size_t> common_a, common_b;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (a[i] == b[j]) common_a.push_back(i), common_b.push_back(j);
  if (common_a.size() == 3) return true;
  const double fine = 4096;  // Much finer than any crossing of triangles on so few places.
  for (TrianglePoints* t : {&p, &q})
    for (Vec3& v : *t) v *= fine;
  if (common_a.size() == 1) {
    // A triangle becomes two without the tip, cut off one part in `fine` along both sides.
    const auto pieces = [&](const TrianglePoints& t, std::size_t i) {
      const Vec3 &o = t[i], &u = t[(i + 1) % 3], &v = t[(i + 2) % 3];
      const Vec3 near_u = o + (u - o) / fine, near_v = o + (v - o) / fine;
      return std::array<TrianglePoints, 2>{{{near_u, u, v}, {near_u, v, near_v}}};
    };
    for (const TrianglePoints& x : pieces(p, common_a[0]))
      if (meet_by_separating_axes(x, q)) return true;
    return false;
  }
  // With a common edge: the third corner moved to lie over the edge's middle does not change who is on which side.
  const Vec3 n = (a[1] - a[0]).cross(a[2] - a[0]), m = (b[1] - b[0]).cross(b[2] - b[0]);
  if (n.cross(m) != Vec3::Zero()) return false;
  const Vec3 edge = a[common_a[1]] - a[common_a[0]];
  const Vec3 c = a[3 - common_a[0] - common_a[1]] - a[common_a[0]],
             d = b[3 - common_b[0] - common_b[1]] - a[common_a[0]];
  return edge.cross(c).dot(edge.cross(d)) > 0;
}

RC_GTEST_PROP(TriangleOverlap, NeighboursAgreeWithASlowTest, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  int shared = 0;
  for (int i = 0; i < 400; ++i) {
    const int range = 2 + i % 3;
    const TrianglePoints a = random_triangle(random, range);
    TrianglePoints b = random_triangle(random, range);
    b[random() % 3] = a[random() % 3];
    if (collinear(b[0], b[1], b[2])) continue;
    ++shared;
    RC_ASSERT(triangles_meet_elsewhere(a, b) == meet_elsewhere_by_shrinking(a, b));
    RC_ASSERT(triangles_meet_elsewhere(b, a) == meet_elsewhere_by_shrinking(a, b));
  }
  RC_ASSERT(shared > 50);
}

TEST(TriangleOverlap, NeighboursMeetElsewhereOnlyWhenTheyDo) {
  const Vec3 o(0, 0, 0), x(1, 0, 0), y(0, 1, 0);
  EXPECT_FALSE(triangles_meet_elsewhere({o, x, y}, {x, o, Vec3(0, -1, 0)}));          // Flat neighbours.
  EXPECT_TRUE(triangles_meet_elsewhere({o, x, y}, {x, o, Vec3(0.2, 0.3, 0)}));        // Folded onto each other.
  EXPECT_FALSE(triangles_meet_elsewhere({o, x, y}, {x, o, Vec3(0.2, 0.3, 1e-300)}));  // Nearly.
  EXPECT_TRUE(triangles_meet_elsewhere({o, x, y}, {o, y, x}));  // A copy that faces the other way.
  EXPECT_TRUE(triangles_meet_elsewhere({o, x, y}, {o, Vec3(1, 1, 1), Vec3(1, 1, -1)}));  // Through the middle.
  EXPECT_FALSE(triangles_meet_elsewhere({o, x, y}, {o, Vec3(-1, 1, 1), Vec3(-1, 1, -1)}));
  EXPECT_TRUE(triangles_meet_elsewhere({o, x, y}, {o, Vec3(1, 2, 0), Vec3(2, 1, 0)}));  // In one plane.
  EXPECT_FALSE(triangles_meet_elsewhere({o, x, y}, {o, Vec3(-1, 2, 0), Vec3(-2, 1, 0)}));
  EXPECT_FALSE(triangles_meet_elsewhere({o, x, y}, {o, x, Vec3(0.5, 0, 0)}));  // No area.
}

TEST(SelfIntersection, NeighboursAreCountedOnlyWhenAskedForAndApart) {
  // Two faces folded flat onto each other, and a third with a corner in common that cuts both.
  const Mesh mesh = mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0.5, 0}, {1, 1, 1}, {1, 1, -1}},
                            {{0, 1, 2}, {1, 0, 3}, {0, 4, 5}});
  EXPECT_EQ(find(mesh).pairs.size(), 0u);
  const SelfIntersections all = self_intersections(mesh, {.list = true, .adjacent = true});
  EXPECT_EQ(all.inside_parts, 0u);
  EXPECT_EQ(all.adjacent, 3u);
  EXPECT_EQ(all.pairs, (std::vector<TrianglePair>{{0, 1}, {0, 2}, {1, 2}}));
  const Mesh balls = joined(sphere(), sphere(12, 16, Vec3(0.7, 0.1, 0.2)));
  const SelfIntersections plain = find(balls), more = self_intersections(balls, {.list = true, .adjacent = true});
  EXPECT_EQ(more.adjacent, 0u);
  EXPECT_EQ(more.pairs, plain.pairs);
}

TEST(SelfIntersection, StopsWhenCancelled) {
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(self_intersections(cube(), {}, progress), Cancelled);
}

// Copies at the very same place count as often as they are there, as every pair would be tested on its own.
TEST(SelfIntersections, CopiesAreCountedLikeSeparateTriangles) {
  std::mt19937 random(3);
  Mesh mesh;
  for (int t = 0; t < 12; ++t) {
    const TrianglePoints points = random_triangle(random, 9);
    const int copies = 1 + t % 4;
    for (int c = 0; c < copies; ++c) {
      const auto first = static_cast<Index>(mesh.positions.size());
      for (std::size_t k = 0; k < 3; ++k)
        mesh.positions.push_back(points[(k + static_cast<std::size_t>(c)) % 3]);  // Other corners first.
      mesh.add_face(std::array<Index, 3>{first, first + 1, first + 2});
    }
  }
  const SelfIntersections found = self_intersections(mesh, {.list = true, .adjacent = true});
  std::vector<TrianglePair> expected;
  std::uint64_t apart = 0, adjacent = 0;
  const auto points_of = [&](Index f) {
    const auto v = mesh.face(f);
    return TrianglePoints{mesh.positions[v[0]], mesh.positions[v[1]], mesh.positions[v[2]]};
  };
  for (Index a = 0; a < mesh.face_count(); ++a)
    for (Index b = a + 1; b < mesh.face_count(); ++b) {
      const TrianglePoints p = points_of(a), q = points_of(b);
      bool shared = false;
      for (const Vec3& x : p)
        for (const Vec3& y : q) shared = shared || x == y;
      if (!(shared ? triangles_meet_elsewhere(p, q) : triangles_intersect(p, q))) continue;
      ++(shared ? adjacent : apart);
      expected.push_back({a, b});
    }
  EXPECT_GT(apart, 0U);
  EXPECT_GT(adjacent, 0U);
  EXPECT_EQ(found.inside_parts, apart);
  EXPECT_EQ(found.adjacent, adjacent);
  EXPECT_EQ(found.pairs, expected);
}

}  // namespace
}  // namespace sinew::geometry
