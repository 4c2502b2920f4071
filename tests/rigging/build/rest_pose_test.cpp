// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/rest_pose.h"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "sinew/core/parallel.h"
#include "tests/support/rig_plans.h"

namespace sinew::rigging {
namespace {

Vec3 bone(const SkeletonPlan& plan, const std::string& from, const std::string& to) {
  return (plan.joints[plan.find_role(to)].position - plan.joints[plan.find_role(from)].position).normalized();
}

TEST(RestPose, ArmsOfATPoseLieToTheSidesAndLegsStraightDown) {
  for (const char* pose : {"a", "t", "random"}) {
    const SkeletonPlan before = test::true_plan(test::made_human(pose)).plan;
    const SkeletonPlan plan = transformed_plan(before, transforms_to_pose(before, RestPose::kT));
    for (const auto& [side, sign] : {std::pair{std::string("left_"), 1.0}, std::pair{std::string("right_"), -1.0}}) {
      const Vec3 out = sign * plan.left;
      EXPECT_LT((bone(plan, side + "upper_arm", side + "forearm") - out).norm(), 1e-9);
      EXPECT_LT((bone(plan, side + "forearm", side + "hand") - out).norm(), 1e-9);
      EXPECT_LT((bone(plan, side + "hand", side + "middle_1") - out).norm(), 1e-9);
      EXPECT_LT((bone(plan, side + "thigh", side + "shin") + plan.up).norm(), 1e-9);
      EXPECT_LT((bone(plan, side + "shin", side + "foot") + plan.up).norm(), 1e-9);
      // Feet stay turned as they were.
      EXPECT_LT((bone(plan, side + "foot", side + "toes") - bone(before, side + "foot", side + "toes")).norm(), 1e-9);
    }
    // And on the ground.
    const auto height = [](const SkeletonPlan& p, const char* role) {
      return p.joints[p.find_role(role)].position.y();
    };
    EXPECT_NEAR(std::min(height(plan, "left_foot"), height(plan, "right_foot")),
                std::min(height(before, "left_foot"), height(before, "right_foot")), 1e-9);
  }
}

TEST(RestPose, ArmsOfAnAPoseHangHalfWayAndLegsStay) {
  const SkeletonPlan before = test::true_plan(test::made_human("t")).plan;
  const SkeletonPlan plan = transformed_plan(before, transforms_to_pose(before, RestPose::kA));
  EXPECT_LT((bone(plan, "left_upper_arm", "left_forearm") - Vec3(1, -1, 0).normalized()).norm(), 1e-9);
  EXPECT_LT((bone(plan, "right_forearm", "right_hand") - Vec3(-1, -1, 0).normalized()).norm(), 1e-9);
  EXPECT_EQ(plan.joints[plan.find_role("left_foot")].position, before.joints[before.find_role("left_foot")].position);
}

TEST(RestPose, BonesKeepTheirLengths) {
  const SkeletonPlan before = test::true_plan(test::made_human("random")).plan;
  const SkeletonPlan plan = transformed_plan(before, transforms_to_pose(before, RestPose::kT));
  for (Index j = 0; j < plan.joints.size(); ++j) {
    const Index parent = plan.joints[j].parent;
    if (parent == kNone) continue;
    EXPECT_NEAR((plan.joints[j].position - plan.joints[parent].position).norm(),
                (before.joints[j].position - before.joints[parent].position).norm(), 1e-9);
  }
}

TEST(RestPose, ABodyThatDoesNotStandUprightHasNoSuchPose) {
  shapes::MakeOptions options;
  options.vertices = 1000;
  const Character dog = shapes::make("quadruped", options).made.character;
  EXPECT_TRUE(transforms_to_pose(test::true_plan(dog, "quadruped").plan, RestPose::kT).empty());
}

TEST(RestPose, AVertexGoesExactlyWithItsOnlyJointAndStaysIfItsJointsDo) {
  Character human = test::made_human("a");
  const SkeletonPlan plan = test::true_plan(human).plan;
  const std::vector<Mat4> transforms = transforms_to_pose(plan, RestPose::kT);
  const std::vector<Mat4> each = blended_transforms(human.rig.weights.normalized(), transforms);
  Index alone = 0, stayed = 0;
  for (Index v = 0; v < human.rig.mesh.vertex_count(); ++v) {
    const auto row = human.rig.weights.row(v);
    if (row.size() == 1) {
      EXPECT_LT((each[v] - transforms[row[0].joint]).cwiseAbs().maxCoeff(), 1e-9);
      ++alone;
    }
    EXPECT_NEAR(each[v].topLeftCorner(3, 3).determinant(), 1, 1e-9);
  }
  EXPECT_GT(alone, 0U);
  const std::vector<Mat4> still(transforms.size(), Mat4::Identity());
  for (const Mat4& transform : blended_transforms(human.rig.weights, still))
    stayed += transform == Mat4::Identity() ? 1 : 0;
  EXPECT_EQ(stayed, human.rig.mesh.vertex_count());
}

TEST(RestPose, NormalsAndMorphsTurnWithTheVertices) {
  Mesh mesh;
  mesh.positions = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  mesh.add_face(std::array<Index, 3>{0, 1, 2});
  // All corners share one normal; the vertices turn differently.
  mesh.normals.values = {Vec3f(1, 0, 0)};
  mesh.normals.corners = {0, 0, 0};
  MeshPart part;
  part.vertex_count = 3;
  part.face_count = 1;
  part.morphs = {{"m", {Vec3f(1, 0, 0), Vec3f(1, 0, 0), Vec3f(1, 0, 0)}}};
  mesh.parts = {part};
  Mat4 turn = Mat4::Identity();
  turn.topLeftCorner<3, 3>() = Eigen::AngleAxisd(std::acos(-1.0) / 2, Vec3::UnitZ()).toRotationMatrix();
  transform_vertices(mesh, {turn, Mat4::Identity(), Mat4::Identity()});
  EXPECT_LT((mesh.positions[0] - Vec3(0, 1, 0)).norm(), 1e-12);
  EXPECT_LT((mesh.normals.values[mesh.normals.corners[0]] - Vec3f(0, 1, 0)).norm(), 1e-6F);
  EXPECT_LT((mesh.normals.values[mesh.normals.corners[1]] - Vec3f(1, 0, 0)).norm(), 1e-6F);
  EXPECT_LT((mesh.parts[0].morphs[0].deltas[0] - Vec3f(0, 1, 0)).norm(), 1e-6F);
  EXPECT_EQ(mesh.parts[0].morphs[0].deltas[2], Vec3f(1, 0, 0));
}

TEST(RestPose, ARigidPartJoinsTheSkinWhereItWasBound) {
  // One joint, bound at the origin and shown 2 m up; a rigid part hangs on it there.
  Rig rig;
  rig.skeleton.joints.resize(1);
  rig.skeleton.joints[0].rest.translation = Vec3(0, 2, 0);
  rig.skeleton.joints[0].deforming = true;
  rig.mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 2.5, 0)};
  MeshPart skinned, rigid;
  skinned.vertex_count = 3;
  skinned.skin = 0;
  rigid.first_vertex = 3;
  rigid.vertex_count = 1;
  rigid.joint = 0;
  rig.mesh.parts = {skinned, rigid};
  rig.skins = {{"skin", {0}, {Mat4::Identity()}}};
  for (int v = 0; v < 4; ++v) rig.weights.add_row({Influence{0, 1.0F}});
  EXPECT_TRUE(gather_in_bind_pose(rig, {Mat4::Identity()}));
  EXPECT_EQ(rig.mesh.positions[1], Vec3(1, 0, 0));
  EXPECT_LT((rig.mesh.positions[3] - Vec3(0, 0.5, 0)).norm(), 1e-12);
  // Where both poses are one nothing transforms.
  Character human = test::made_human("a", 800);
  EXPECT_FALSE(gather_in_bind_pose(human.rig, rest_matrices(human.rig.skeleton)));
}

}  // namespace
}  // namespace sinew::rigging
