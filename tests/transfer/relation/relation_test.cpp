// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/relation/relation.h"

#include <gtest/gtest.h>

#include "sinew/geometry/mesh/decimate.h"
#include "tests/support/made_human.h"

namespace sinew::transfer {
namespace {

TEST(Relation, TheSameMeshIsAnUpdateAndEveryVertexFindsItself) {
  const Mesh mesh = test::made_human().rig.mesh;
  EXPECT_EQ(relate(mesh, mesh).kind, RelationKind::kUpdate);
  const std::vector<Index> same = same_vertices(mesh, mesh);
  for (Index v = 0; v < mesh.vertex_count(); ++v) EXPECT_EQ(same[v], v);
}

TEST(Relation, ADecimatedMeshIsALevelOfDetail) {
  const Mesh mesh = test::made_human("a", 4000).rig.mesh;
  geometry::DecimateOptions options;
  options.target_triangles = static_cast<Index>(triangulate(mesh).size() / 3);
  const Relation relation = relate(mesh, geometry::decimate(mesh, options).mesh);
  EXPECT_EQ(relation.kind, RelationKind::kDetail) << relation.reason;
}

TEST(Relation, AMovedOrDifferentlyPosedBodyIsAnotherBody) {
  const Mesh mesh = test::made_human("a").rig.mesh;
  Mesh moved = mesh;
  for (Vec3& p : moved.positions) p += Vec3(3, 0, 0);
  EXPECT_EQ(relate(mesh, moved).kind, RelationKind::kBody);
  EXPECT_EQ(relate(mesh, test::made_human("t").rig.mesh).kind, RelationKind::kBody);
}

TEST(Relation, ASlightlyDifferentBodyInTheSamePoseAndASheetThroughItAreNoGarments) {
  shapes::MakeOptions options;
  options.vertices = 2500;
  const Mesh mesh = shapes::make("human", options).made.character.rig.mesh;
  options.seed = 4, options.vary = 0.5;
  EXPECT_EQ(relate(mesh, shapes::make("human", options).made.character.rig.mesh).kind, RelationKind::kBody);
  Mesh flat = mesh;
  for (Vec3& p : flat.positions) p.z() = 0;
  EXPECT_EQ(relate(mesh, flat).kind, RelationKind::kBody);
}

TEST(Relation, MeshesWithoutExtentAreAnotherBody) {
  Mesh point;
  point.positions.assign(3, Vec3::Zero());
  point.add_face(std::vector<Index>{0, 1, 2});
  EXPECT_EQ(relate(point, point).kind, RelationKind::kBody);
}

}  // namespace
}  // namespace sinew::transfer
