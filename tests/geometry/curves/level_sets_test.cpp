// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/level_sets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "sinew/geometry/curves/curves.h"
#include "tests/geometry/curves/cube_figure.h"

namespace sinew::geometry {
namespace {

/// Every quad cut along a diagonal that a generator draws.
Mesh cut_at_random(const Mesh& quads, unsigned seed) {
  std::mt19937 random(seed);
  Mesh mesh;
  mesh.positions = quads.positions;
  for (Index f = 0; f < quads.face_count(); ++f) {
    const auto q = quads.face(f);
    const Index i = random() % 2;
    mesh.add_face(std::array<Index, 3>{q[i], q[i + 1], q[i + 2]});
    mesh.add_face(std::array<Index, 3>{q[i], q[i + 2], q[(i + 3) % 4]});
  }
  return mesh;
}

TEST(PairTriangles, RestoresQuadsThatWereCutAtRandom) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  const Mesh quads = cube_figure(3);
  const Mesh paired = pair_triangles(cut_at_random(quads, seed));
  const auto corners = [](const Mesh& mesh) {
    std::set<std::set<Index>> faces;
    for (Index f = 0; f < mesh.face_count(); ++f) faces.emplace(mesh.face(f).begin(), mesh.face(f).end());
    return faces;
  };
  const auto expected = corners(quads);
  Index same = 0;
  for (const auto& face : corners(paired)) same += expected.count(face) ? 1 : 0;
  EXPECT_GE(same, 0.999 * quads.face_count());
}

TEST(LevelSets, EveryLevelOfALimbIsOneClosedLine) {
  const Mesh mesh = cut_at_random(cube_figure(3), 7);
  CurveOptions options;
  options.source = CurveSource::kLevels;
  const CurveInput input = prepare_curves(mesh, options);
  const LevelSurface surface = level_surface(input.surface);
  ASSERT_EQ(input.tips.tips.size(), 5U);
  for (const LimbTip& tip : input.tips.tips) {
    const LevelSets sets = limb_level_sets(surface, input.graph, input.tips, tip);
    EXPECT_EQ(sets.split, 0U);
    ASSERT_GE(sets.curves.size(), 5U);
    for (std::size_t k = 0; k < sets.curves.size(); ++k) {
      const LevelCurve& curve = sets.curves[k];
      EXPECT_TRUE(curve.closed);
      if (k > 0) {
        EXPECT_GT(curve.level, sets.curves[k - 1].level);
      }
      // Each point once, and neighbours share a triangle: as many crossings as the level set has edges.
      std::set<std::pair<Index, Index>> edges;
      for (const CurvePoint& p : curve.points) {
        EXPECT_TRUE(edges.emplace(p.a, p.b).second);
        EXPECT_GE(p.t, 0);
        EXPECT_LE(p.t, 1);
      }
      std::size_t crossed = 0;
      std::map<Index, double> value;
      for (std::size_t i = 0; i < sets.vertices.size(); ++i) value[sets.vertices[i]] = sets.values[i];
      for (Index h = 0; h < surface.edges.size(); ++h) {
        const auto a = value.find(surface.edges.vertex[h]), b = value.find(surface.edges.vertex[surface.edges.next[h]]);
        if (a == value.end() || b == value.end()) continue;
        crossed += a->second <= curve.level && b->second > curve.level ? 1 : 0;
      }
      EXPECT_EQ(crossed, curve.points.size());
    }
  }
}

TEST(LevelSets, RunOverHoles) {
  const Mesh whole = cube_figure(2);
  CurveOptions options;
  options.source = CurveSource::kLevels;
  const CurveSet expected = find_curves(whole, options);
  Mesh open;
  open.positions = whole.positions;
  int holes = 0;
  for (Index f = 0; f < whole.face_count(); ++f) {
    Vec3 middle = Vec3::Zero();
    for (const Index v : whole.face(f)) middle += whole.positions[v] / 4;
    // One quad on the front of each arm and leg.
    const bool arm =
        std::abs(middle.z() - 3.4) < 0.15 && (std::abs(middle.x() + 2.4) < 0.13 || std::abs(middle.x() - 5.4) < 0.13);
    const bool leg =
        std::abs(middle.z() + 2.4) < 0.13 && (std::abs(middle.x() - 0.4) < 0.15 || std::abs(middle.x() - 2.4) < 0.15);
    if ((arm || leg) && middle.y() > 0.8) ++holes;
    else open.add_face(whole.face(f));
  }
  EXPECT_GE(holes, 4);
  const CurveSet found = find_curves(open, options);
  ASSERT_EQ(found.limbs.size(), expected.limbs.size());
  for (const CurveLimb& limb : found.limbs) {
    EXPECT_GE(limb.curves.size(), 5U);
    for (const Index id : limb.curves) EXPECT_TRUE(found.curves[id].closed);
  }
}

TEST(LevelSets, StayNestedInAnotherPose) {
  const Mesh mesh = cut_at_random(cube_figure(3), 5);
  CurveOptions options;
  options.source = CurveSource::kLevels;
  const CurveSet set = find_curves(mesh, options);
  // Another shape of the same mesh: legs and arms turned about the middle of the body.
  std::vector<Vec3> posed = mesh.positions;
  for (Vec3& p : posed) {
    const double a = 0.1 * p.z();
    p = Vec3(p.x(), std::cos(a) * (p.y() - 0.5) - 0.2 * p.z() * std::sin(a), p.z() + 0.3 * p.x());
  }
  for (const CurveLimb& limb : set.limbs) {
    ASSERT_TRUE(limb.level_sets);
    std::optional<Vec3> last;
    for (const Index id : limb.curves) {
      const Curve& curve = set.curves[id];
      ASSERT_TRUE(curve.closed);
      Vec3 middle = Vec3::Zero();
      for (const CurvePoint& p : set.of(curve)) middle += p.at(posed) / curve.count;
      // The tip is farther from each curve than from the one before.
      const double from_tip = (middle - posed[limb.tip]).norm();
      if (last) {
        EXPECT_GT(from_tip, (*last - posed[limb.tip]).norm() - 1e-9);
      }
      last = middle;
    }
  }
}

TEST(LevelSets, TrianglesCutAtRandomHaveTheRingsOfTheQuads) {
  const CurveSet quads = find_curves(cube_figure(3));
  const CurveSet cut = find_curves(cut_at_random(cube_figure(3), 11));
  EXPECT_EQ(cut.closed_count(), quads.closed_count());
}

}  // namespace
}  // namespace sinew::geometry
