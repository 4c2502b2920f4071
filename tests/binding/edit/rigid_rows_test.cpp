// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/rigid_rows.h"

#include <gtest/gtest.h>

namespace sinew::binding {
namespace {

/// A strip along x whose left half follows joint 0 and whose right half follows joint 1, and a stick that touches the
/// right end and leads back above the left one.
struct Scene {
  Mesh mesh;
  SkinWeights weights;
  std::vector<char> carriers = {1, 1, 0};
  std::vector<Index> stick = {6, 7, 8};

  Scene() {
    for (const double x : {0.0, 1.0, 2.0})
      for (const double z : {0.0, 0.2}) mesh.positions.push_back(Vec3(x, 0, z));
    mesh.add_face(std::vector<Index>{0, 1, 3, 2});
    mesh.add_face(std::vector<Index>{2, 3, 5, 4});
    for (const Vec3& p : {Vec3(2, 0.001, 0.1), Vec3(0, 0.3, 0.1), Vec3(0, 0.3, 0.2)}) mesh.positions.push_back(p);
    mesh.add_face(stick);
    for (Index v = 0; v < 6; ++v) weights.add_row({{v < 3 ? 0U : 1U, 1.0F}});
    weights.add_row({{1, 1.0F}});
    for (int i = 0; i < 2; ++i) weights.add_row({{0, 0.75F}, {2, 0.25F}});
  }
};

TEST(RigidRows, WhatIsHeldFollowsTheJointAtTheHand) {
  const Scene scene;
  const SkinWeights rows = rigid_rows(scene.weights, scene.mesh, {{scene.stick, true}}, scene.carriers, 4);
  for (const Index v : scene.stick) {
    ASSERT_EQ(rows.row(v).size(), 1U);
    EXPECT_EQ(rows.row(v)[0], (Influence{1, 1.0F}));
  }
  for (Index v = 0; v < 6; ++v) EXPECT_EQ(rows.row(v)[0], scene.weights.row(v)[0]);
}

TEST(RigidRows, AnyOtherGroupGetsTheMeanOfItsRows) {
  const Scene scene;
  const SkinWeights rows = rigid_rows(scene.weights, scene.mesh, {{scene.stick, false}}, scene.carriers, 4);
  for (const Index v : scene.stick) {
    ASSERT_EQ(rows.row(v).size(), 3U);
    EXPECT_EQ(rows.row(v)[0].joint, 0U);
    EXPECT_NEAR(rows.row(v)[0].weight, 0.5, 1e-6);
    EXPECT_NEAR(rows.row(v)[1].weight, 1.0 / 3, 1e-6);
  }
  EXPECT_EQ(rigid_rows(scene.weights, scene.mesh, {{scene.stick, false}}, scene.carriers, 2).max_influences(), 2U);
}

TEST(RigidRows, WithoutACarrierTheMeanIsTaken) {
  const Scene scene;
  const SkinWeights rows = rigid_rows(scene.weights, scene.mesh, {{scene.stick, true}}, {0, 0, 0}, 4);
  EXPECT_EQ(rows.row(6).size(), 3U);
  EXPECT_EQ(rigid_rows(scene.weights, scene.mesh, {}, scene.carriers, 4), scene.weights);
}

}  // namespace
}  // namespace sinew::binding
