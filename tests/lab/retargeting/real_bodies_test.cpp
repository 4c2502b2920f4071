// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/retargeting/real_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sinew/lab/retargeting/family.h"

namespace sinew::lab {
namespace {

/// A strip of quads whose vertices come in a given order, with texture coordinates by their places.
Mesh textured_strip(const std::vector<Index>& order) {
  Mesh mesh;
  const auto count = static_cast<Index>(order.size());
  mesh.positions.resize(count);
  mesh.uvs.values.resize(count);
  for (Index i = 0; i < count; ++i) {
    mesh.positions[order[i]] = Vec3(i / 2, i % 2, 0);
    mesh.uvs.values[order[i]] = Vec2f(static_cast<float>(i / 2), static_cast<float>(i % 2));
  }
  for (Index i = 0; i + 3 < count; i += 2)
    mesh.add_face(std::vector<Index>{order[i], order[i + 2], order[i + 3], order[i + 1]});
  MeshPart part;
  part.name = "skin", part.vertex_count = count, part.face_count = mesh.face_count();
  mesh.parts = {part};
  return mesh;
}

KnownRig made_body(const char* pose) { return bound_alone(family_member(3, pose, 0.3, 1200).rig, "made"); }

Vec3 place_of(const KnownRig& known, const char* joint) {
  return rest_matrices(known.rig.skeleton)[known.rig.skeleton.find(joint)].topRightCorner<3, 1>();
}

TEST(RealBodies, VerticesOfTheSameTextureCoordinatesCorrespondInAnyOrder) {
  const std::vector<Index> plain = {0, 1, 2, 3, 4, 5, 6, 7}, mixed = {5, 0, 7, 2, 1, 6, 3, 4};
  const Mesh reference = textured_strip(plain);
  Mesh target = textured_strip(mixed);
  std::vector<Index> same = same_by_texture(reference, target);
  for (Index i = 0; i < 8; ++i) EXPECT_EQ(same[mixed[i]], i);
  // Two places of one coordinate, and a coordinate that the reference lacks.
  target.uvs.values[mixed[0]] = target.uvs.values[mixed[6]];
  target.uvs.values[mixed[3]] = Vec2f(9, 9);
  same = same_by_texture(reference, target);
  for (const Index i : {0, 3, 6}) EXPECT_EQ(same[mixed[i]], kNone);
  EXPECT_EQ(same[mixed[1]], 1U);
  target.parts[0].name = "coat";
  same = same_by_texture(reference, target);
  EXPECT_TRUE(std::all_of(same.begin(), same.end(), [](Index v) { return v == kNone; }));
}

TEST(RealBodies, MovedArmsHangAndRiseAgainWithTheSameRows) {
  const KnownRig body = made_body("t");
  const KnownRig lowered = arms_moved(body), raised = arms_moved(lowered);
  for (const char* hand : {"LeftHand", "RightHand"}) {
    EXPECT_LT(place_of(lowered, hand).y(), place_of(body, hand).y() - 0.2) << hand;
    EXPECT_NEAR(place_of(raised, hand).y(), place_of(body, hand).y(), 0.05) << hand;
  }
  EXPECT_EQ(lowered.rig.weights, body.rig.weights);
  EXPECT_LT((place_of(lowered, "LeftFoot") - place_of(body, "LeftFoot")).norm(), 1e-9);
  EXPECT_NEAR(place_of(lowered, "LeftHand").x(), -place_of(lowered, "RightHand").x(), 0.02);
}

TEST(RealBodies, ARemeshedBodyHasOtherVerticesAndTheRowsOfTheSurface) {
  const KnownRig body = made_body("a");
  const KnownRig remeshed = remeshed_rig(body, 64, {});
  ASSERT_EQ(remeshed.rig.weights.row_count(), remeshed.rig.mesh.vertex_count());
  EXPECT_NE(remeshed.rig.mesh.vertex_count(), body.rig.mesh.vertex_count());
  EXPECT_NEAR(remeshed.rig.mesh.size(), body.rig.mesh.size(), 0.05 * body.rig.mesh.size());
  for (Index v = 0; v < remeshed.rig.weights.row_count(); ++v) EXPECT_FALSE(remeshed.rig.weights.row(v).empty());
}

}  // namespace
}  // namespace sinew::lab
