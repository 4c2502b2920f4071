// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/surface_distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.h"
#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

TEST(SurfaceDistances, GrowAlongALimb) {
  const Character human = test::made_human("t", 1500);
  const Mesh& mesh = human.rig.mesh;
  Index hand = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (mesh.positions[v].x() > mesh.positions[hand].x()) hand = v;
  const std::vector<double> distance = surface_distances(mesh, hand);
  EXPECT_NEAR(distance[hand], 0, 1e-9);
  // Means over slices from one hand to the other rise, at the height of the arms.
  const Box box = mesh.bounds();
  std::vector<double> sum(6, 0), count(6, 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    if (!std::isfinite(distance[v]) || std::abs(mesh.positions[v].y() - mesh.positions[hand].y()) > 0.1) continue;
    const double at = (box.upper.x() - mesh.positions[v].x()) / box.extent().x();
    const auto slice = static_cast<std::size_t>(std::min(5.0, 6 * at));
    sum[slice] += distance[v], ++count[slice];
  }
  for (std::size_t i = 1; i < sum.size(); ++i) EXPECT_GT(sum[i] / count[i], sum[i - 1] / count[i - 1]) << i;
}

TEST(SurfaceDistances, AMissingVertexIsRefused) {
  EXPECT_THROW(surface_distances(test::made_human().rig.mesh, 1U << 30), Error);
}

}  // namespace
}  // namespace sinew::pipeline
