// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/rigid/rigid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/binding/heat/heat.h"
#include "tests/binding/heat_bodies.h"
#include "tests/support/damages.h"

namespace sinew::binding {
namespace {

using test::Body;

BindResult rigid(const Body& body) { return bind_rigid(body.subject(), {}, {}); }

TEST(RigidWeights, GiveEveryVertexOneJoint) {
  const Body body = test::made_body("human", 1500);
  const auto [one, two] = test::with_one_and_two_threads([&] { return rigid(body); });
  test::expect_valid(one, body.subject(), 1);
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) ASSERT_EQ(one.weights.row(v).front().weight, 1.0F);
  EXPECT_EQ(one.weights, two.weights);
}

TEST(RigidWeights, MoveAShellWithOneJointAsAWhole) {
  // A doll of two stiff pieces; the lower one reaches a little past the joint, as pieces of dolls do.
  Body body;
  body.mesh = test::as_mesh(test::cylinder(20, 16, 0.2, 1.1));
  const Index lower = body.mesh.vertex_count();
  test::append(body.mesh, test::as_mesh(test::cylinder(20, 16, 0.15, 0.95)), {0, 0, 1.05});
  test::append(body.mesh, test::sphere(4, 6, {0.215, 0, 0.985}, 0.01));  // A rivet at the joint.
  test::add_chain(body.skeleton, {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}});
  const BindResult bound = rigid(body);
  test::expect_valid(bound, body.subject(), 1);
  for (Index v = 0; v < body.mesh.vertex_count() - 20; ++v)
    ASSERT_EQ(bound.weights.row(v).front().joint, v < lower ? 0U : 1U) << v;
  const Index rivet = body.mesh.vertex_count() - 20;
  for (Index v = rivet; v < body.mesh.vertex_count(); ++v)
    EXPECT_EQ(bound.weights.row(v).front().joint, bound.weights.row(rivet).front().joint);
  EXPECT_EQ(bound.metrics["whole_shells"], 3);
}

TEST(RigidWeights, CutAShellThatSpansSeveralJointsWhereTheyMeet) {
  const Body body = test::two_bone_cylinder();
  const BindResult bound = rigid(body);
  test::expect_valid(bound, body.subject(), 1);
  EXPECT_EQ(bound.metrics["whole_shells"], 0);
  for (Index ring = 0; ring <= 40; ++ring)
    for (Index k = 0; k < 24 && ring != 20; ++k)
      EXPECT_EQ(bound.weights.row(ring * 24 + k).front().joint, ring < 20 ? 0U : 1U);
}

TEST(RigidWeights, SurviveDamage) {
  const Body body = test::made_body("figure", 0);
  const test::DamagedBody sound = test::undamaged(body.mesh, body.subject().joints);
  for (const std::string& name : test::damage_names()) {
    const test::DamagedBody damaged = test::damaged(sound, body.skeleton, name, 1);
    const Subject subject{damaged.mesh, body.skeleton, damaged.joints, body.subject().bound};
    SCOPED_TRACE(name);
    test::expect_valid(bind_rigid(subject, {}, {}), subject, 1);
  }
}

}  // namespace
}  // namespace sinew::binding
