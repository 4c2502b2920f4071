// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/closure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/joint_shape/disk_map.h"
#include "sinew/deform/implicit/joint_shape/fairing.h"
#include "sinew/deform/implicit/joint_shape/planar_mesh.h"
#include "sinew/deform/implicit/joint_shape/space_mesh.h"
#include "tests/deform/implicit/joint_shape/parts.h"

namespace sinew::deform {
namespace {

using test_parts::open_tube;
using test_parts::Tube;
using test_parts::tube_function;

/// Vertices − edges + faces, counted from the triangles alone, and whether every edge has one opposite one.
std::pair<long, bool> euler_and_closed(const ClosedPart& part) {
  std::map<std::pair<Index, Index>, int> edges;
  std::set<Index> vertices;
  for (const auto& t : part.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}], vertices.insert(t[k]);
  bool closed = true;
  for (const auto& [edge, count] : edges) closed = closed && count == 1 && edges.contains({edge.second, edge.first});
  return {static_cast<long>(vertices.size()) - static_cast<long>(edges.size() / 2) +
              static_cast<long>(part.triangles.size()),
          closed};
}

TEST(PlanarMesh, TrianglesFillThePolygonAndAreThoseOfDelaunayInside) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Vec2> corners, points;
  for (int k = 0; k < 40; ++k)
    corners.push_back((k % 2 == 0 ? 1.0 : 0.8) * Vec2(std::cos(kTwoPi * k / 40), std::sin(kTwoPi * k / 40)));
  while (points.size() < 60)
    if (const Vec2 p(any(rng), any(rng)); p.norm() < 0.7) points.push_back(p);
  const auto triangles = triangulate_polygon(corners, points);
  ASSERT_TRUE(triangles);
  EXPECT_EQ(triangles->size(), 40u - 2 + 2 * 60);
  std::vector<Vec2> all = corners;
  all.insert(all.end(), points.begin(), points.end());
  double area = 0, polygon = 0;
  for (std::size_t k = 0; k < 40; ++k) {
    const Vec2 &a = corners[k], &b = corners[(k + 1) % 40];
    polygon += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  for (const auto& t : *triangles) {
    const Vec2 a = all[t[1]] - all[t[0]], b = all[t[2]] - all[t[0]];
    const double twice = a.x() * b.y() - a.y() * b.x();
    EXPECT_GT(twice, 0);
    area += 0.5 * twice;
    if (t[0] < 40 || t[1] < 40 || t[2] < 40) continue;
    // No point within the circle around an inner triangle.
    const double aa = a.squaredNorm(), bb = b.squaredNorm();
    const Vec2 center = all[t[0]] + Vec2(b.y() * aa - a.y() * bb, a.x() * bb - b.x() * aa) / (2 * twice);
    for (const Vec2& p : points) EXPECT_GT((p - center).norm(), (all[t[0]] - center).norm() * (1 - 1e-9));
  }
  EXPECT_NEAR(area, polygon, 1e-12);
}

TEST(PlanarMesh, RefusesAPolygonThatCrossesItself) {
  const std::vector<Vec2> eight = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
  EXPECT_FALSE(triangulate_polygon(eight, {}));
}

TEST(Closure, OfRandomTubesIsClosedOrientedAndKeepsThePart) {
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> any(0, 1);
  std::size_t by_particles = 0;
  constexpr int kTubes = 200;
  for (int i = 0; i < kTubes; ++i) {
    Tube tube;
    tube.radius = 0.3 + any(rng);
    tube.flat = 1 + 1.5 * any(rng);
    tube.bend = 0.8 * any(rng);
    tube.cut = 0.1 + 0.8 * any(rng);
    tube.around = 5 + static_cast<Index>(75 * any(rng) * any(rng));
    tube.along = 4 + static_cast<Index>(12 * any(rng));
    const Vec3 outward(any(rng) - 0.5, any(rng) - 0.5, any(rng) + 0.1);
    ClosedPart part = open_tube(tube, outward);
    const ClosedPart before = part;
    close_holes(part, tube_function(part, tube, outward), {}, static_cast<std::uint64_t>(i));
    const auto [euler, closed] = euler_and_closed(part);
    EXPECT_TRUE(closed) << i;
    EXPECT_EQ(euler, 2) << i;
    EXPECT_EQ(closure_problem(part), "") << i;
    for (std::size_t v = 0; v < before.positions.size(); ++v) EXPECT_EQ(part.positions[v], before.positions[v]);
    for (std::size_t t = 0; t < before.triangles.size(); ++t) EXPECT_EQ(part.triangles[t], before.triangles[t]);
    if (part.holes[0].fill != HoleFill::kPatch) ++by_particles;
  }
  EXPECT_GE(by_particles, static_cast<std::size_t>(0.9 * kTubes));
}

TEST(Closure, OpenHoleIsAProblem) {
  ClosedPart part = open_tube({}, Vec3::UnitX());
  part.holes[0].fill = HoleFill::kPolar;  // As if it had been closed.
  EXPECT_NE(closure_problem(part), "");
}

TEST(Closure, ScalesWithThePart) {
  Tube tube;
  tube.cut = 0.5;
  ClosedPart one = open_tube(tube, Vec3::UnitX());
  close_holes(one, tube_function(one, tube, Vec3::UnitX()), {}, 5);
  for (const double scale : {0x1p-7, 0x1p7}) {
    Tube other = tube;
    other.length *= scale, other.radius *= scale;
    ClosedPart scaled = open_tube(other, Vec3::UnitX());
    close_holes(scaled, tube_function(scaled, other, Vec3::UnitX()), {}, 5);
    EXPECT_EQ(scaled.triangles, one.triangles);
    for (std::size_t v = 0; v < one.positions.size(); ++v) EXPECT_EQ(scaled.positions[v], scale * one.positions[v]);
  }
}

TEST(Closure, HardlyDependsOnUnitsAndTheFrame) {
  // Particles amplify rounding, so that only their number and the shape can be compared.
  Tube tube;
  tube.cut = 0.5;
  const auto faired = [](Tube t, const Vec3& outward, double& count) {
    ClosedPart part = open_tube(t, outward);
    close_holes(part, tube_function(part, t, outward), {}, 5);
    count = static_cast<double>(part.closure.size());
    fair_distances(part, 0);
    double sum = 0;
    for (const ClosureVertex& vertex : part.closure) sum += vertex.distance / t.radius / count;
    return sum;
  };
  double count = 0, other_count = 0;
  const double mean = faired(tube, Vec3::UnitX(), count);
  for (const double scale : {0.01, 100.0}) {
    Tube other = tube;
    other.length *= scale, other.radius *= scale;
    EXPECT_NEAR(faired(other, Vec3::UnitX(), other_count), mean, 0.01 * mean);
    EXPECT_NEAR(other_count, count, 0.15 * count);
  }
  EXPECT_NEAR(faired(tube, Vec3(1, -2, 0.5), other_count), mean, 0.01 * mean);
  EXPECT_NEAR(other_count, count, 0.15 * count);
}

TEST(Closure, OfAFoldedBorderIsMeshedInTheDisk) {
  // The border runs back and forth around the bone, so that neither its polar image nor that from a point is simple.
  Tube tube;
  tube.around = 24, tube.cut = 0.6;
  ClosedPart part = open_tube(tube, Vec3::UnitX());
  const Hrbf function = tube_function(part, tube, Vec3::UnitX());
  const Index last = tube.along * tube.around;
  std::vector<Vec3> ring;
  for (Index k = 0; k < tube.around; ++k) ring.push_back(part.positions[last + k]);
  const Eigen::AngleAxisd back(-0.7, Vec3::UnitX());
  for (Index k = 0; k < tube.around; k += 6) part.positions[last + k] = back * ring[k];
  close_holes(part, function, {}, 3);
  EXPECT_EQ(part.holes[0].fill, HoleFill::kDisk);
  EXPECT_EQ(euler_and_closed(part), std::pair(2L, true));
  EXPECT_GT(part.closure.size(), 20u);
}

TEST(SpaceMesh, OfParticlesOnATubeIsADiskAtItsBorder) {
  Tube tube;
  tube.cut = 0.5;
  ClosedPart part = open_tube(tube, Vec3::UnitX());
  const ClosedPart open = part;
  const Hrbf function = tube_function(part, tube, Vec3::UnitX());
  close_holes(part, function, {}, 5);
  const std::vector<Vec3> particles(part.positions.begin() + part.fixed_vertices, part.positions.end());
  const std::vector<Index> corners(open.holes[0].loop.rbegin(), open.holes[0].loop.rend());
  const auto triangles = triangulate_in_space(open.positions, corners, particles, function);
  ASSERT_TRUE(triangles);
  ClosedPart closed = open;
  closed.positions.insert(closed.positions.end(), particles.begin(), particles.end());
  for (const auto& t : *triangles) {
    std::array<Index, 3> own{};
    for (std::size_t k = 0; k < 3; ++k)
      own[k] = t[k] < corners.size() ? corners[t[k]] : t[k] - static_cast<Index>(corners.size()) + open.fixed_vertices;
    closed.triangles.push_back(own);
  }
  EXPECT_EQ(euler_and_closed(closed), std::pair(2L, true));
  // The function turned inside out has nothing inside of the tube.
  std::vector<SurfaceSample> samples;
  for (const Vec3& p : particles) samples.push_back({p, -function.evaluate(p).gradient.normalized()});
  EXPECT_FALSE(triangulate_in_space(open.positions, corners, particles, Hrbf::fit(samples)));
}

TEST(DiskMap, TurnsNoTriangleOver) {
  // A bowl that is deeper than wide, so that no projection shows it whole.
  std::vector<Vec3> points;
  std::vector<std::array<Index, 3>> triangles;
  constexpr Index kAround = 16, kRings = 8;
  for (Index i = 0; i < kRings; ++i)
    for (Index k = 0; k < kAround; ++k) {
      const double angle = kTwoPi * k / kAround, r = 1 + 0.3 * std::sin(0.9 * i);
      points.emplace_back(r * std::cos(angle), r * std::sin(angle), -0.5 * i);
    }
  points.emplace_back(0, 0, -0.5 * kRings);
  for (Index k = 0; k < kAround; ++k) {
    const Index next = (k + 1) % kAround;
    for (Index i = 0; i + 1 < kRings; ++i) {
      const Index p = i * kAround, q = p + kAround;
      triangles.push_back({p + k, p + next, q + k});
      triangles.push_back({p + next, q + next, q + k});
    }
    triangles.push_back({(kRings - 1) * kAround + k, (kRings - 1) * kAround + next, kRings * kAround});
  }
  const DiskMap map(points, kAround, triangles);
  ASSERT_TRUE(map.ok());
  for (const auto& t : triangles) {
    const Vec2 a = map.plane()[t[1]] - map.plane()[t[0]], b = map.plane()[t[2]] - map.plane()[t[0]];
    EXPECT_GT(a.x() * b.y() - a.y() * b.x(), 0);
  }
  for (std::size_t v = 0; v < points.size(); ++v) EXPECT_LT((map.place(points[v]) - map.plane()[v]).norm(), 1e-9);
}

TEST(Closure, ByThePatchIsClosedToo) {
  Tube tube;
  ClosedPart part = open_tube(tube, Vec3::UnitX());
  close_holes(part, Hrbf(), {}, 1);  // Without a function there are no particles.
  EXPECT_EQ(part.holes[0].fill, HoleFill::kPatch);
  EXPECT_EQ(euler_and_closed(part), std::pair(2L, true));
}

TEST(Closure, PowerCrustAsPrintedHasOneBallForNearlyAllParticles) {
  Tube tube;
  ClosedPart part = open_tube(tube, Vec3::UnitX());
  close_holes(part, tube_function(part, tube, Vec3::UnitX()), {}, 1);
  const LiteralPowerCrust crust = literal_power_crust(part, 0);
  EXPECT_GT(crust.vertices, 50u);
  EXPECT_EQ(crust.balls, 1u + crust.vertices - crust.at_joint);
  EXPECT_GT(crust.at_joint, crust.vertices / 2);
}

TEST(Fairing, MakesAHalfSphereOfATubeThatIsCutAtItsJoint) {
  Tube tube;
  ClosedPart part = open_tube(tube, Vec3::UnitX());
  close_holes(part, tube_function(part, tube, Vec3::UnitX(), 1.6), {}, 1);
  ASSERT_NE(part.holes[0].fill, HoleFill::kPatch);
  double off = 0;
  for (const ClosureVertex& vertex : part.closure) off = std::max(off, std::abs(vertex.distance - tube.radius));
  EXPECT_GT(off, 0.05);  // It was not round before.
  fair_distances(part, 0);
  for (const ClosureVertex& vertex : part.closure) EXPECT_NEAR(vertex.distance, tube.radius, 1e-6);
}

TEST(Fairing, NeverExceedsTheBorder) {
  Tube tube;
  tube.flat = 2;
  ClosedPart part = open_tube(tube, Vec3::UnitX());
  close_holes(part, tube_function(part, tube, Vec3::UnitX()), {}, 1);
  fair_distances(part, 0);
  for (const ClosureVertex& vertex : part.closure) {
    EXPECT_LE(vertex.distance, part.holes[0].radius + 1e-9);
    EXPECT_GE(vertex.distance, tube.radius - 1e-9);
  }
}

}  // namespace
}  // namespace sinew::deform
