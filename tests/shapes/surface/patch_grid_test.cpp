// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/patch_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

namespace sinew::shapes {
namespace {

Cage cube() {
  Cage cage;
  Loop low, high;
  for (const auto& [x, z] : {std::pair(1, 1), std::pair(1, -1), std::pair(-1, -1), std::pair(-1, 1)}) {
    low.push_back(cage.add(Vec3(x, -1, z), {{0, 1.0}}));
    high.push_back(cage.add(Vec3(x, 1, z), {{1, 1.0}}));
  }
  cage.bridge(low, high, false);
  cage.close(high, 1, Vec3::Zero(), false);
  cage.close({low[0], low[3], low[2], low[1]}, 1, Vec3::Zero(), false);
  return cage;
}

TEST(PatchGrid, CutsEveryQuadIntoThatManyASideAndStaysClosed) {
  const Cage cage = cube();
  for (const Index cuts : {1U, 2U, 3U, 5U, 8U}) {
    const FineGrid fine = refine(cage, cuts);
    EXPECT_EQ(fine.quads.size(), 6 * cuts * cuts);
    EXPECT_EQ(fine.positions.size(), 6 * cuts * cuts + 2);
    std::map<std::pair<Index, Index>, int> edges;
    for (const auto& quad : fine.quads)
      for (std::size_t k = 0; k < 4; ++k) ++edges[{quad[k], quad[(k + 1) % 4]}];
    for (const auto& [edge, count] : edges) {
      ASSERT_EQ(count, 1);
      ASSERT_EQ(edges.count({edge.second, edge.first}), 1U);
    }
  }
}

TEST(PatchGrid, RowsSumToOneAndGiveThePositions) {
  const Cage cage = cube();
  const FineGrid fine = refine(cage, 3);
  const std::vector<Vec3> again = fine.stencils.apply(cage.positions());
  for (Index v = 0; v < fine.stencils.size(); ++v) {
    double sum = 0;
    for (std::uint32_t k = fine.stencils.offsets[v]; k < fine.stencils.offsets[v + 1]; ++k)
      sum += fine.stencils.weights[k];
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LT((again[v] - fine.positions[v]).norm(), 1e-12);
  }
}

TEST(PatchGrid, KeepsTheCornersOfTheCageFirst) {
  const FineGrid fine = refine(cube(), 4);
  const Cage cage = cube();
  for (std::size_t v = 0; v < cage.positions().size(); ++v) {
    // A corner of the cube moves along its diagonal only.
    const Vec3 direction = cage.positions()[v].normalized();
    EXPECT_NEAR(fine.positions[v].normalized().dot(direction), 1, 1e-12);
  }
}

}  // namespace
}  // namespace sinew::shapes
