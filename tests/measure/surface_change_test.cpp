// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/surface_change.h"

#include <gtest/gtest.h>

#include "sinew/core/parallel.h"
#include "tests/geometry/named_meshes.h"
#include "tests/measure/limb_rigs.h"

namespace sinew::measure {
namespace {

SurfaceChange change_of(const Mesh& mesh) { return SurfaceChange(mesh, geometry::weld(mesh)); }

TEST(EdgeStretch, OfAUniformScaleIsThatScale) {
  const Mesh mesh = test::sphere();
  std::vector<Vec3> larger = mesh.positions;
  for (Vec3& p : larger) p *= 2.5;
  const EdgeStretch stretch = change_of(mesh).stretch(larger);
  for (const double value : stretch.percentiles) EXPECT_NEAR(value, 2.5, 1e-12);
}

TEST(EdgeStretch, ListsPercentilesInOrderAndCountsEveryEdgeOnce) {
  const Mesh mesh = test::cube();
  std::vector<Vec3> longer = mesh.positions;
  for (Vec3& p : longer) p.z() *= 3;
  const EdgeStretch stretch = change_of(mesh).stretch(longer);
  EXPECT_EQ(stretch.edges, 12U);  // Four of them stand upright.
  EXPECT_NEAR(stretch.smallest(), 1, 1e-12);
  EXPECT_NEAR(stretch.percentiles[3], 1, 1e-12);
  EXPECT_NEAR(stretch.percentiles[4], 3, 1e-12);
  EXPECT_NEAR(stretch.largest(), 3, 1e-12);
}

TEST(Roughness, IsZeroForARigidMotion) {
  const Mesh mesh = test::sphere();
  std::vector<Vec3> moved = mesh.positions;
  for (Vec3& p : moved) p = test::turn(Vec3(1, -1, 2).normalized(), 2.2) * p + Vec3(4, 5, 6);
  EXPECT_LT(change_of(mesh).roughness(moved), 1e-12);
}

TEST(Roughness, OfNoiseIsFarAboveThatOfASmoothBend) {
  const Rig rig = test::cylinder_rig(3, 80, 64);
  const SurfaceChange change = change_of(rig.mesh);
  const Shape bent = test::linear_shape(rig, test::turned(rig, {{1, test::turn(Vec3::UnitX(), 0.8)}}));
  std::vector<Vec3> noisy = rig.mesh.positions;
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i].x() += (i * 7919 % 13 < 6 ? -1 : 1) * 0.02;
  EXPECT_LT(change.roughness(bent.positions), 0.1);
  EXPECT_GT(change.roughness(noisy), 2 * change.roughness(bent.positions));
}

TEST(Roughness, OfASmoothBendFallsWithTheEdges) {
  std::vector<double> values;
  for (const int layers : {40, 80, 160}) {
    const Rig rig = test::cylinder_rig(3, layers, layers * 3 / 4);
    const Shape bent = test::linear_shape(rig, test::turned(rig, {{1, test::turn(Vec3::UnitX(), 0.8)}}));
    values.push_back(change_of(rig.mesh).roughness(bent.positions));
  }
  EXPECT_LT(values[1], 0.7 * values[0]);
  EXPECT_LT(values[2], 0.7 * values[1]);
}

TEST(Roughness, OfOneVertexPulledOutByAnEdgeIsAboutOneThere) {
  // A flat grid; the middle vertex rises by one edge. Its own change is 1, that of its four neighbours a quarter less
  // their turn.
  std::vector<Vec3> points;
  Mesh mesh;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x) mesh.positions.emplace_back(x, y, 0);
  for (Index y = 0; y < 4; ++y)
    for (Index x = 0; x < 4; ++x) {
      const Index v = 5 * y + x;
      const std::array<Index, 4> quad = {v, v + 1, v + 6, v + 5};
      mesh.add_face(quad);
    }
  std::vector<Vec3> raised = mesh.positions;
  raised[12].z() += 1;
  const double total = 16 * std::pow(change_of(mesh).roughness(raised), 2);
  EXPECT_GT(total, 1);
  EXPECT_LT(total, 1 + 4 * 0.25);
}

TEST(Roughness, IsTheSameForAnyNumberOfThreads) {
  const Rig rig = test::cylinder_rig(3, 200, 64);
  const Shape bent = test::linear_shape(rig, test::turned(rig, {{1, test::turn(Vec3::UnitX(), 0.8)}}));
  set_thread_count(1);
  const double one = change_of(rig.mesh).roughness(bent.positions);
  set_thread_count(2);
  const double two = change_of(rig.mesh).roughness(bent.positions);
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

TEST(ShapeDistance, TellsTheFarthestVertexAndTheRootMeanSquare) {
  const std::vector<Vec3> a = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  std::vector<Vec3> b = a;
  b[2].y() = 4;
  const ShapeDistance distance = shape_distance(a, b);
  EXPECT_EQ(distance.max, 4);
  EXPECT_EQ(distance.rms, 2);
  EXPECT_EQ(distance.farthest, 2U);
}

}  // namespace
}  // namespace sinew::measure
