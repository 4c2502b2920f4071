// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/weld_within.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

Mesh points_on_a_line(std::initializer_list<double> places) {
  Mesh mesh;
  for (const double x : places) mesh.positions.push_back(Vec3(x, 0, 0));
  return mesh;
}

TEST(WeldWithin, JoinsWhatIsNearAndNoMore) {
  const Welding w = weld_within(points_on_a_line({0, 10, 0.1, 10.1, 10.3, 20}), 0.15);
  EXPECT_EQ(w.welded, (std::vector<Index>{0, 1, 0, 1, 2, 3}));
  EXPECT_EQ(w.first, (std::vector<Index>{0, 1, 4, 5}));
}

TEST(WeldWithin, ShortChainsAreOneAndLongOnesAreCut) {
  EXPECT_EQ(weld_within(points_on_a_line({0, 0.9, 1.8, 50}), 1).count(), 2u);
  // 0, 0.9 | 1.8, 2.7 | 3.6
  const Welding w = weld_within(points_on_a_line({3.6, 2.7, 1.8, 0.9, 0, 50}), 1);
  EXPECT_EQ(w.welded, (std::vector<Index>{0, 1, 1, 2, 2, 3}));
}

TEST(WeldWithin, ZeroToleranceIsTheExactWelding) {
  const Mesh mesh = joined(cube(), cube());
  EXPECT_EQ(weld_within(mesh, 0).welded, weld(mesh).welded);
}

TEST(WeldWithin, KeepsPartsApartUnlessAsked) {
  const Mesh mesh = as_parts(cube(), cube());
  EXPECT_EQ(weld_within(mesh, 1e-3).count(), 16u);
  EXPECT_EQ(weld_within(mesh, 1e-3, true).count(), 8u);
}

// The groups as sets of positions.
std::set<std::multiset<std::tuple<double, double, double>>> groups(const Mesh& mesh, const Welding& welding) {
  std::vector<std::multiset<std::tuple<double, double, double>>> lists(welding.count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3& p = mesh.positions[v];
    lists[welding.welded[v]].insert({p.x(), p.y(), p.z()});
  }
  return {lists.begin(), lists.end()};
}

RC_GTEST_PROP(WeldWithin, GroupsDoNotDependOnTheOrderOfVertices, (unsigned seed)) {
  std::mt19937 random(seed);
  Mesh mesh;
  mesh.positions.resize(80);
  for (Vec3& p : mesh.positions)
    for (double& x : p) x = static_cast<double>(random() % 1000) * 1e-3;
  const Mesh other = shuffled(mesh, seed);
  for (const double tolerance : {0.05, 0.1, 0.2}) {
    const Welding welding = weld_within(mesh, tolerance);
    RC_ASSERT(groups(mesh, welding) == groups(other, weld_within(other, tolerance)));
    for (Index v = 0; v < mesh.vertex_count(); ++v)
      for (Index u = 0; u < v; ++u)
        if (welding.welded[u] == welding.welded[v])
          RC_ASSERT((mesh.positions[u] - mesh.positions[v]).norm() <= 2 * tolerance + 1e-12);
  }
}

}  // namespace
}  // namespace sinew::geometry
