// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/components.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sinew/geometry/mesh/topology.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TEST(Components, AreNumberedByTheirFirstFace) {
  Mesh mesh = joined(joined(cube(), tetrahedron(Vec3(5, 0, 0))), open_box());
  mesh.positions.push_back(Vec3(9, 9, 9));
  mesh.add_face(std::vector<Index>{});
  const Components c = components(mesh);
  EXPECT_EQ(c.count, 3u);
  EXPECT_EQ(c.faces, (std::vector<Index>{6, 4, 5}));
  EXPECT_EQ(c.of_face.front(), 0u);
  EXPECT_EQ(c.of_face[7], 1u);
  EXPECT_EQ(c.of_face.back(), kNone);
  EXPECT_EQ(c.of_vertex[3], 0u);
  EXPECT_EQ(c.of_vertex[9], 1u);
  EXPECT_EQ(c.of_vertex.back(), kNone);
  const Welding welding = weld(mesh);  // The box lies on the cube.
  EXPECT_EQ(components(mesh, &welding).count, 2u);
}

RC_GTEST_PROP(Components, AgreeWithTopologyInAnyOrder, (unsigned seed)) {
  const Mesh mesh = shuffled(joined(joined(sphere(4, 5), moebius_strip()), sphere(3, 4, Vec3(9, 0, 0))), seed);
  const Components c = components(mesh);
  RC_ASSERT(c.count == topology(mesh, weld(mesh)).total.components);
  for (Index f = 0; f < mesh.face_count(); ++f)
    for (const Index v : mesh.face(f)) RC_ASSERT(c.of_vertex[v] == c.of_face[f]);
}

}  // namespace
}  // namespace sinew::geometry
