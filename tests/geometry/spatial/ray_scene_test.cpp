// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/ray_scene.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <new>

#include "tests/geometry/field_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

Mesh random_soup(unsigned seed, Index triangles, double size) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  Mesh mesh;
  for (Index i = 0; i < triangles; ++i) {
    const Vec3 at(coordinate(random), coordinate(random), coordinate(random));
    for (int k = 0; k < 3; ++k)
      mesh.positions.push_back(size * (at + 0.4 * Vec3(coordinate(random), coordinate(random), coordinate(random))));
    mesh.add_face(std::vector<Index>{3 * i, 3 * i + 1, 3 * i + 2});
  }
  return mesh;
}

struct SlowHit {
  double t;
  double margin;  // Smallest barycentric coordinate: how clearly the ray passes inside.
};

// Every plane crossing, in double precision.
std::optional<SlowHit> slow_hit(const TriangleSoup& soup, Index triangle, const Ray& ray) {
  const Vec3 &a = soup.corner(triangle, 0), &b = soup.corner(triangle, 1), &c = soup.corner(triangle, 2);
  Mat3 m;
  m << b - a, c - a, -ray.direction;
  if (std::abs(m.determinant()) < 1e-9 * (b - a).norm() * (c - a).norm() * ray.direction.norm()) return std::nullopt;
  const Vec3 uvt = m.inverse() * (ray.origin - a);
  return SlowHit{uvt.z(), std::min({uvt.x(), uvt.y(), 1 - uvt.x() - uvt.y()})};
}

TEST(RayScene, HitsTheSphereWhereTheFormulaSays) {
  const Mesh mesh = shifted(sphere(120, 160), Vec3(1000, -500, 20), 2);
  const RayScene scene(mesh);
  for (const Vec3& p : random_points(mesh.bounds(), 200, 3, -0.3)) {
    const Vec3 direction = p - Vec3(1003, -497, 27);
    const RayHit hit = scene.nearest_hit({Vec3(1003, -497, 27), direction});
    ASSERT_TRUE(hit);
    const Vec3 at = Vec3(1003, -497, 27) + hit.t * direction;
    EXPECT_NEAR((at - Vec3(1000, -500, 20)).norm(), 2, 2e-3);
    Vec3 by_corners = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      by_corners += hit.barycentric[k] * mesh.positions[mesh.face(hit.triangle)[static_cast<std::size_t>(k)]];
    EXPECT_LT((at - by_corners).norm(), 1e-6 * mesh.size());
  }
}

RC_GTEST_PROP(RayScene, FindsTheHitsOfASlowSearch, ()) {
  const auto seed = *rc::gen::arbitrary<unsigned>();
  const double size = std::pow(10.0, *rc::gen::inRange(-3, 4));
  const Mesh mesh = random_soup(seed, 60, size);
  const std::vector<TriangleVertices> triangles = triangle_vertices(mesh);
  const TriangleSoup soup{mesh.positions, triangles};
  const RayScene scene(mesh);
  const std::vector<Vec3> points = random_points(mesh.bounds(), 20, seed + 1, 1.0);
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    const Ray ray{points[i], points[i + 1] - points[i], 0, 1};
    const std::vector<RayHit> all = scene.all_hits(ray);
    RC_ASSERT(std::is_sorted(all.begin(), all.end(), [](const RayHit& a, const RayHit& b) { return a.t < b.t; }));
    const RayHit nearest = scene.nearest_hit(ray);
    RC_ASSERT(static_cast<bool>(nearest) == !all.empty());
    RC_ASSERT(scene.occluded(ray) == !all.empty());
    if (nearest) {
      RC_ASSERT(nearest.t <= all.front().t + 1e-4);
    }
    for (Index t = 0; t < triangles.size(); ++t) {
      const auto slow = slow_hit(soup, t, ray);
      if (!slow) continue;
      const auto found = std::find_if(all.begin(), all.end(), [&](const RayHit& hit) { return hit.triangle == t; });
      const bool clear = slow->margin > 1e-3 && slow->t > 1e-3 && slow->t < 1 - 1e-3;
      const bool miss = slow->margin < -1e-3 || slow->t < -1e-3 || slow->t > 1 + 1e-3;
      if (clear) {
        RC_ASSERT(found != all.end() && std::abs(found->t - slow->t) < 1e-9);
      }
      if (miss) {
        RC_ASSERT(found == all.end());
      }
    }
  }
}

RC_GTEST_PROP(RayScene, FindsTheClosestPointOfASlowSearch, ()) {
  const auto seed = *rc::gen::arbitrary<unsigned>();
  const Mesh mesh = random_soup(seed, 80, std::pow(10.0, *rc::gen::inRange(-3, 4)));
  const RayScene scene(mesh);
  const std::vector<Vec3> points = random_points(mesh.bounds(), 20, seed + 1, 2.0);
  for (const Vec3& p : points) {
    double best = 1e300;
    for (Index t = 0; t < mesh.face_count(); ++t)
      best = std::min(
          best,
          (closest_on_triangle(p, mesh.positions[3 * t], mesh.positions[3 * t + 1], mesh.positions[3 * t + 2]).point -
           p)
              .norm());
    const ClosestPoint found = scene.closest_point(p);
    RC_ASSERT(std::abs(found.distance - best) <= 1e-12 * mesh.size());
    RC_ASSERT(std::abs((found.point - p).norm() - found.distance) <= 1e-15 * mesh.size());
    RC_ASSERT(!scene.closest_point(p, 0.999 * best));
    RC_ASSERT(static_cast<bool>(scene.closest_point(p, 1.001 * best)));
  }
}

RC_GTEST_PROP(RayScene, ClosestOnTriangleBeatsEverySampleOfIt, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::uniform_real_distribution<double> unit(0, 1);
  const auto vector = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  Vec3 a = vector(), b = vector(), c = vector();
  const int kind = *rc::gen::inRange(0, 4);
  if (kind == 1) c = a + 0.3 * (b - a);  // A needle,
  if (kind == 2) b = a;                  // a segment,
  if (kind == 3) b = c = a;              // a point.
  const Vec3 p = 3 * vector() - Vec3::Ones();
  const PointOnTriangle near = closest_on_triangle(p, a, b, c);
  RC_ASSERT(near.barycentric.minCoeff() >= 0);
  RC_ASSERT(std::abs(near.barycentric.sum() - 1) < 1e-12);
  const Vec3 again = near.barycentric[0] * a + near.barycentric[1] * b + near.barycentric[2] * c;
  RC_ASSERT((again - near.point).norm() < 1e-12);
  for (int i = 0; i < 300; ++i) {
    double u = unit(random), v = unit(random);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    RC_ASSERT((near.point - p).norm() <= (a + u * (b - a) + v * (c - a) - p).norm() + 1e-12);
  }
}

TEST(RayScene, BreaksTiesByTheSmallestTriangle) {
  // All faces twice, and rays and points aimed at vertices and edges.
  const Mesh once = sphere(10, 12);
  const Mesh mesh = joined(once, once);
  const RayScene scene(mesh);
  for (Index v = 0; v < once.vertex_count(); ++v) {
    Index first = kNone;
    for (Index f = 0; f < mesh.face_count() && first == kNone; ++f)
      for (const Index w : mesh.face(f))
        if (w == v) first = std::min(first, f);
    const Vec3 p = once.positions[v];
    EXPECT_EQ(scene.closest_point(1.5 * p).triangle, first) << v;
    const RayHit hit = scene.nearest_hit({3 * p, -p});
    ASSERT_TRUE(hit);
    EXPECT_LT(hit.triangle, once.face_count());
    EXPECT_NEAR(hit.t, 2, 1e-6);
  }
}

TEST(RayScene, RobustRaysNeverSlipThroughEdgesAndVertices) {
  const Mesh mesh = sphere(10, 12);
  const RayScene scene(mesh);
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 a = mesh.positions[face[k]], b = mesh.positions[face[(k + 1) % 3]];
      for (const double s : {0.0, 0.25, 0.5}) EXPECT_TRUE(scene.nearest_hit({Vec3::Zero(), a + s * (b - a)}));
    }
  }
}

TEST(RayScene, FiltersLeaveTrianglesOut) {
  const Mesh mesh = joined(sphere(), shifted(sphere(), Vec3(5, 0, 0)));
  const RayScene scene(mesh);
  const Index half = mesh.face_count() / 2;
  const Ray ray{Vec3(-3, 0.1, 0.05), Vec3::UnitX()};
  const auto second = [&](Index t) { return t >= half; };
  EXPECT_LT(scene.nearest_hit(ray).triangle, half);
  EXPECT_GE(scene.nearest_hit(ray, second).triangle, half);
  EXPECT_EQ(scene.all_hits(ray).size(), 4U);
  EXPECT_EQ(scene.all_hits(ray, second).size(), 2U);
  EXPECT_FALSE(scene.occluded(ray, [](Index) { return false; }));
  EXPECT_GE(scene.closest_point(Vec3::Zero(), 1e9, second).triangle, half);
  EXPECT_FALSE(scene.closest_point(Vec3::Zero(), 1e9, [](Index) { return false; }));
}

TEST(RayScene, WhatAFilterThrowsReachesTheCaller) {
  const RayScene scene(random_soup(3, 200, 1));
  const auto refuse = [](Index) -> bool { throw std::bad_alloc(); };
  const Ray ray{Vec3(-3, 0.01, 0.02), Vec3(1, 0, 0), 0, 10};
  ASSERT_FALSE(scene.all_hits(ray).empty());
  EXPECT_THROW(scene.nearest_hit(ray, refuse), std::bad_alloc);
  EXPECT_THROW(scene.all_hits(ray, refuse), std::bad_alloc);
  EXPECT_THROW(scene.occluded(ray, refuse), std::bad_alloc);
  EXPECT_THROW(scene.closest_point(Vec3(0, 0, 0), 10, refuse), std::bad_alloc);
}

TEST(RayScene, OneOfManyCopiesStandsForAll) {
  // Forty copies of a soup in one place, every other one with its corners in another order.
  constexpr Index kTriangles = 150, kCopies = 40;
  const Mesh one = random_soup(9, kTriangles, 2);
  Mesh many;
  for (Index c = 0; c < kCopies; ++c) {
    many.positions.insert(many.positions.end(), one.positions.begin(), one.positions.end());
    const Index first = c * one.vertex_count();
    for (Index t = 0; t < kTriangles; ++t)
      many.add_face(c % 2 == 0 ? std::vector<Index>{first + 3 * t, first + 3 * t + 1, first + 3 * t + 2}
                               : std::vector<Index>{first + 3 * t, first + 3 * t + 2, first + 3 * t + 1});
  }
  const RayScene single(one), scene(many);
  Index asked = 0;
  const auto from_copy_7 = [&](Index t) { return ++asked, t >= 7 * kTriangles; };
  const auto odd_copies = [](Index t) { return t / kTriangles % 2 == 1; };
  const auto none = [](Index) { return false; };
  for (const Vec3& p : random_points(one.bounds(), 60, 4, 0.4)) {
    const ClosestPoint expected = single.closest_point(p), found = scene.closest_point(p);
    EXPECT_EQ(found.triangle, expected.triangle);
    EXPECT_EQ(found.point, expected.point);
    EXPECT_EQ(scene.closest_point(p, 100, from_copy_7).triangle, expected.triangle + 7 * kTriangles);
    const ClosestPoint odd = scene.closest_point(p, 100, odd_copies);
    EXPECT_EQ(odd.triangle, expected.triangle + kTriangles);
    EXPECT_NEAR(odd.distance, expected.distance, 1e-12);
    EXPECT_FALSE(scene.closest_point(p, 100, none));
    EXPECT_FALSE(scene.closest_point(p, 0.5 * expected.distance));
    EXPECT_EQ(scene.all_hits({p, Vec3::UnitX()}).size(), kCopies * single.all_hits({p, Vec3::UnitX()}).size());
  }
  // Not the square: about eight are asked for each of the few triangles near a point.
  EXPECT_LT(asked, 60 * 8 * kTriangles);
}

TEST(RayScene, AnOriginFarAwayCostsNoAccuracy) {
  const Mesh mesh = cube();
  const RayScene scene(mesh);
  const RayHit hit = scene.nearest_hit({Vec3(-1e7, 0.3, 0.4), Vec3(2, 0, 0)});
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit.t, 5e6, 1e-6);
  EXPECT_EQ(mesh.face(scene.face(hit.triangle)).size(), 4U);
}

TEST(RayScene, MeetsNothingWithoutFacesOrDirection) {
  EXPECT_FALSE(RayScene(Mesh{}).nearest_hit({}));
  EXPECT_FALSE(RayScene(Mesh{}).closest_point(Vec3::Zero()));
  EXPECT_FALSE(RayScene(cube()).nearest_hit({Vec3(0.5, 0.5, 0.5), Vec3::Zero()}));
}

TEST(RayScene, RefusesPositionsThatAreNotFinite) {
  Mesh mesh = cube();
  mesh.positions[1].y() = std::numeric_limits<double>::infinity();
  EXPECT_THROW(RayScene{mesh}, Error);
}

TEST(RayScene, BatchesAreTheSameForAnyNumberOfThreads) {
  const Mesh mesh = joined(torus(1, 0.4), torus(1, 0.4));
  const std::vector<Vec3> points = random_points(mesh.bounds(), 3000, 7);
  std::vector<Ray> rays;
  for (const Vec3& p : points) rays.push_back({3 * p, -p});
  for (Index v = 0; v < mesh.vertex_count(); v += 7) rays.push_back({2 * mesh.positions[v], -mesh.positions[v]});
  const auto run = [&](int count) {
    const Threads threads(count);
    const RayScene scene(mesh);
    std::vector<double> all;
    for (const std::uint8_t o : scene.occluded(rays)) all.push_back(o);
    for (const ClosestPoint& c : scene.closest_points(points)) all.insert(all.end(), {double(c.triangle), c.distance});
    return all;
  };
  EXPECT_EQ(run(1), run(2));
}

RC_GTEST_PROP(RayScene, LeavesASoupWhereASlowSearchDoes, ()) {
  const unsigned seed = *rc::gen::arbitrary<unsigned>();
  const Mesh mesh = random_soup(seed, 60, 3);
  const auto triangles = triangle_vertices(mesh);
  const RayScene scene(mesh);
  std::mt19937 random(seed + 1);
  std::normal_distribution<double> normal;
  std::vector<Vec3f> directions;
  for (int i = 0; i < 20; ++i)
    directions.emplace_back(Vec3(normal(random), normal(random), normal(random)).cast<float>());
  const Vec3 origin(normal(random), normal(random), normal(random));
  std::vector<LeavingHit> hits(directions.size());
  scene.leaving_hits(origin, directions, hits);
  std::vector<LeavingHit> all(64);
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const Ray ray{origin, directions[i].cast<double>()};
    std::vector<RayHit> leaving;
    bool clear = true;
    const TriangleSoup soup{mesh.positions, triangles};
    for (Index t = 0; t < triangles.size(); ++t)
      if (const auto slow = slow_hit(soup, t, ray); slow && slow->t > 0 && std::abs(slow->margin) < 1e-4) clear = false;
    for (const RayHit& hit : scene.all_hits(ray)) {
      const Vec3 &a = soup.corner(hit.triangle, 0), &b = soup.corner(hit.triangle, 1),
                 &c = soup.corner(hit.triangle, 2);
      if ((b - a).cross(c - a).dot(ray.direction) > 0) leaving.push_back(hit);
    }
    for (std::size_t k = 1; k < leaving.size(); ++k) clear = clear && leaving[k].t - leaving[k - 1].t > 1e-4;
    if (!clear) continue;
    RC_ASSERT(bool(hits[i]) == !leaving.empty());
    const std::size_t count = scene.leaving_hits_along(origin, directions[i], all);
    RC_ASSERT(count == leaving.size());
    for (std::size_t k = 0; k < count; ++k) {
      RC_ASSERT(all[k].triangle == leaving[k].triangle);
      RC_ASSERT(std::abs(static_cast<double>(all[k].t) - leaving[k].t) < 1e-4);
      RC_ASSERT(std::abs(static_cast<double>(all[k].u) - leaving[k].barycentric[1]) < 1e-3);
      RC_ASSERT(std::abs(static_cast<double>(all[k].v) - leaving[k].barycentric[2]) < 1e-3);
    }
    if (leaving.empty()) continue;
    RC_ASSERT(hits[i].triangle == all[0].triangle && hits[i].u == all[0].u && hits[i].v == all[0].v);
    // With room for fewer it is the nearest that stay.
    const std::size_t few = std::min<std::size_t>(2, count);
    std::vector<LeavingHit> nearest(few);
    RC_ASSERT(scene.leaving_hits_along(origin, directions[i], nearest) == few);
    for (std::size_t k = 0; k < few; ++k) RC_ASSERT(nearest[k].triangle == all[k].triangle);
  }
}

TEST(RayScene, LeavesThroughTheLowestOfTrianglesAtOnePlace) {
  Mesh mesh;
  mesh.positions = {{-1, -1, 1}, {1, -1, 1}, {0, 1, 1}};
  for (int copy = 0; copy < 40; ++copy)
    mesh.add_face(copy < 3 ? std::vector<Index>{0, 2, 1} : std::vector<Index>{0, 1, 2});
  const RayScene scene(mesh);
  const std::vector<Vec3f> directions = {Vec3f(0, 0, 1), Vec3f(0.1F, 0, 1), Vec3f(0, 0, -1)};
  std::vector<LeavingHit> hits(3);
  scene.leaving_hits(Vec3::Zero(), directions, hits);
  EXPECT_EQ(hits[0].triangle, 3U);
  EXPECT_EQ(hits[1].triangle, 3U);
  EXPECT_FALSE(hits[2]);
  EXPECT_EQ(scene.leaving_hits_along(Vec3::Zero(), directions[0], hits), 1U);
}

TEST(RayScene, LeavesNothingWithoutFacesOrNumbers) {
  const std::vector<Vec3f> directions = {Vec3f(0, 0, 1), Vec3f(std::nanf(""), 0, 1)};
  std::vector<LeavingHit> hits(2, LeavingHit{7, 1, 0, 0});
  RayScene(Mesh()).leaving_hits(Vec3::Zero(), directions, hits);
  EXPECT_FALSE(hits[0]);
  const RayScene ball(sphere(12, 16));
  ball.leaving_hits(Vec3::Zero(), directions, hits);
  EXPECT_TRUE(hits[0]);
  EXPECT_FALSE(hits[1]);
  ball.leaving_hits(Vec3::Constant(std::nan("")), directions, hits);
  EXPECT_FALSE(hits[0]);
}

}  // namespace
}  // namespace sinew::geometry
