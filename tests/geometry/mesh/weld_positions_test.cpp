// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/weld_positions.h"

#include <gtest/gtest.h>

#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TEST(WeldPositions, JoinsCopiesThatOnlyMorphsKeepApart) {
  Mesh a = joined(tetrahedron(), tetrahedron());
  Mesh mesh = as_parts(a, tetrahedron());
  EXPECT_EQ(weld_positions(mesh, weld(mesh)).welded, weld(mesh).welded);
  Morph morph;
  morph.deltas.assign(8, Vec3f::Zero());
  morph.deltas[5] = Vec3f(1, 0, 0);  // The second copy of vertex 1.
  mesh.parts[0].morphs.push_back(morph);
  mesh.parts[0].morph_weights.push_back(0);
  EXPECT_EQ(weld(mesh).count(), 9u);
  const Welding welding = weld_positions(mesh, weld(mesh));
  EXPECT_EQ(welding.count(), 8u);
  EXPECT_EQ(welding.welded, (std::vector<Index>{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(welding.first, (std::vector<Index>{0, 1, 2, 3, 8, 9, 10, 11}));
}

}  // namespace
}  // namespace sinew::geometry
