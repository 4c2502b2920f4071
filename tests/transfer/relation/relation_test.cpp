// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/relation/relation.h"

#include <gtest/gtest.h>

#include "sinew/geometry/mesh/decimate.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/transfer/relation/auto_transfer.h"
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

TEST(AutoTransfer, ATargetThatLiesLikeAGarmentButHasItsJointsElsewhereIsAnotherBody) {
  const Character body = test::made_human("a", 2500);
  const Reference reference{{body.rig.mesh, body.rig.skeleton, rest_matrices(body.rig.skeleton)},
                            body.rig.weights.normalized()};
  Mesh vest = body.rig.mesh;
  const Box box = vest.bounds();
  const std::vector<Vec3> normals = geometry::vertex_normals(body.rig.mesh);
  for (Index v = 0; v < vest.vertex_count(); ++v) vest.positions[v] += 0.01 * normals[v];
  Mesh cut;
  cut.positions = vest.positions;
  for (Index f = 0; f < vest.face_count(); ++f)
    if (vest.positions[vest.face(f)[0]].y() > box.center().y()) cut.add_face(vest.face(f));
  MeshPart part;
  part.vertex_count = cut.vertex_count(), part.face_count = cut.face_count();
  cut.parts = {part};
  std::vector<std::pair<Index, Index>> joints;
  for (Index j = 0; j < body.rig.skeleton.size(); ++j) joints.emplace_back(j, j);
  const Correspondence pairs = correspond(body.rig.skeleton, body.rig.skeleton, joints);
  TransferBody target{cut, body.rig.skeleton, reference.joints};
  const MethodChoice automatic(methods(), "auto");
  EXPECT_NE(transfer(automatic, {reference, target, pairs}).choice.find("'garment'"), std::string::npos);
  for (Mat4& frame : target.joints) frame(0, 3) += 0.1;
  EXPECT_EQ(transfer(automatic, {reference, target, pairs}).metrics["method"], "blend");
}

// The upper half of a body as cloth around it.
Mesh vest_of(const Mesh& body) {
  const Box box = body.bounds();
  Mesh vest;
  vest.positions = body.positions;
  const std::vector<Vec3> normals = geometry::vertex_normals(body);
  for (Index v = 0; v < body.vertex_count(); ++v) vest.positions[v] += 0.01 * normals[v];
  for (Index f = 0; f < body.face_count(); ++f)
    if (body.positions[body.face(f)[0]].y() > box.center().y()) vest.add_face(body.face(f));
  return vest;
}

// Adds separate triangles of this size at a spot.
void add_specks(Mesh& mesh, const Vec3& spot, double size, Index count) {
  for (Index i = 0; i < count; ++i) {
    const Index first = mesh.vertex_count();
    for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(size, 0, 0), Vec3(0, size, 0)})
      mesh.positions.push_back(spot + corner + Vec3(0, 0, 0.01 * size * i));
    mesh.add_face(std::vector<Index>{first, first + 1, first + 2});
  }
}

TEST(Relation, DenseButtonsFarFromTheBodyDoNotMakeAGarmentABody) {
  const Mesh body = test::made_human("a", 2500).rig.mesh;
  Mesh vest = vest_of(body);
  ASSERT_EQ(relate(body, vest).kind, RelationKind::kGarment);
  const Vec3 spot = body.bounds().center() + Vec3(0, 0, 0.5 * body.size());
  add_specks(vest, spot, 1e-3, body.vertex_count() / 2);
  const Relation relation = relate(body, vest);
  EXPECT_EQ(relation.kind, RelationKind::kGarment) << relation.reason;
  EXPECT_NE(relation.reason.find("pieces"), std::string::npos);
}

TEST(Relation, ALargeSurfaceFarFromTheBodyOrOneMadeOfPiecesAloneIsNoGarment) {
  const Mesh body = test::made_human("a", 2500).rig.mesh;
  const Vec3 spot = body.bounds().center() + Vec3(0, 0, 0.5 * body.size());
  Mesh sails = vest_of(body);
  add_specks(sails, spot, 0.3 * body.size(), body.vertex_count() / 2);
  EXPECT_EQ(relate(body, sails).kind, RelationKind::kBody);
  Mesh dust;
  add_specks(dust, spot, 1e-3, 50);
  EXPECT_EQ(relate(body, dust).kind, RelationKind::kBody);
}

TEST(Relation, MeshesWithoutExtentAreAnotherBody) {
  Mesh point;
  point.positions.assign(3, Vec3::Zero());
  point.add_face(std::vector<Index>{0, 1, 2});
  EXPECT_EQ(relate(point, point).kind, RelationKind::kBody);
}

}  // namespace
}  // namespace sinew::transfer
