// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/same_vertices.h"

#include <gtest/gtest.h>

#include "sinew/core/error.h"

namespace sinew::pipeline {
namespace {

Mesh points(std::vector<Vec3> positions) {
  Mesh mesh;
  mesh.positions = std::move(positions);
  return mesh;
}

TEST(SameVertices, AreFoundByPositionHoweverTheyAreSplitAndOrdered) {
  const Mesh mesh = points({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}});
  const Mesh split = points({{0, 2, 0}, {0, 0, 0}, {0, 2, 1e-7}, {1, 0, 0}});
  EXPECT_EQ(same_vertices(mesh, split), (std::vector<Index>{1, 3, 0}));
  EXPECT_EQ(same_vertices(split, mesh), (std::vector<Index>{2, 0, 2, 1}));
}

TEST(SameVertices, OfTwoShapesOfOneMeshAreInOrder) {
  const Mesh mesh = points({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}});
  const Mesh posed = points({{0, 0, 0.5}, {0, 0, 0}, {0, 2, 0}});
  EXPECT_EQ(same_vertices(mesh, posed), (std::vector<Index>{0, 1, 2}));
}

TEST(SameVertices, RefusesOtherMeshes) {
  EXPECT_THROW(same_vertices(points({{0, 0, 0}, {1, 0, 0}}), points({{0, 0, 0}, {2, 0, 0}, {3, 0, 0}})), Error);
}

TEST(SameVertices, RowsFollowThem) {
  SkinWeights weights;
  for (Index j = 0; j < 3; ++j) weights.add_row(std::vector<Influence>{{j, 1.0F}});
  const SkinWeights rows = matched_rows(weights, {2, 2, 0});
  ASSERT_EQ(rows.row_count(), 3U);
  EXPECT_EQ(rows.row(1)[0].joint, 2U);
  EXPECT_EQ(rows.row(2)[0].joint, 0U);
}

}  // namespace
}  // namespace sinew::pipeline
