// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/eyes.h"

#include <gtest/gtest.h>

#include "tests/geometry/field_meshes.h"
#include "tests/rigging/true_plan.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

SkeletonPlan head_plan() {
  SkeletonPlan plan;
  PlannedJoint head;
  head.name = "Head";
  head.role = "head";
  head.end = Vec3(0, 2, 0);
  plan.joints.push_back(head);
  return plan;
}

// A head, and more shells.
Mesh with_head(const std::vector<Mesh>& shells) {
  Mesh mesh = sphere(24, 32, Vec3(0, 1, 0), 1);
  for (const Mesh& shell : shells) mesh = joined(mesh, shell);
  return mesh;
}

Mesh eye(double x, double radius, double y = 1.2, double z = 0.85) { return sphere(12, 16, Vec3(x, y, z), radius); }

TEST(Eyes, OfADressedHumanAreItsEyeShells) {
  shapes::MakeOptions options;
  options.clothes = true;
  const shapes::Made made = shapes::make("human", options).made;
  SkeletonPlan plan = true_plan(made, {});
  const Mesh& mesh = made.character.rig.mesh;
  Box box;
  for (const MeshPart& part : mesh.parts)
    if (part.name.find("Eyes") != std::string::npos)
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) box.extend(mesh.positions[v]);
  ASSERT_FALSE(box.empty());
  ASSERT_TRUE(add_eyes(plan, mesh));
  const PlannedJoint& left = plan.joints[plan.find_role("left_eye")];
  const PlannedJoint& right = plan.joints[plan.find_role("right_eye")];
  EXPECT_GT(left.position.x(), 0);
  EXPECT_NEAR(left.position.y(), box.center().y(), 0.001);
  EXPECT_NEAR(left.position.z(), box.center().z(), 0.001);
  EXPECT_LT((left.position + right.position - 2 * box.center()).norm(), 0.002);
  EXPECT_EQ(plan.joints[left.partner].name, "RightEye");
  EXPECT_EQ(plan.joints[left.parent].role, "head");
  EXPECT_GT((*left.end - left.position).dot(plan.forward), 0.005);
  EXPECT_FALSE(add_eyes(plan, mesh));  // It has them.
}

TEST(Eyes, ABodyWithoutShellsHasNone) {
  const shapes::Made made = shapes::make("human", {}).made;
  SkeletonPlan plan = true_plan(made, {});
  EXPECT_FALSE(add_eyes(plan, made.character.rig.mesh));
}

TEST(Eyes, ArePairedByTheMirrorPlaneAndTheLargestPairCounts) {
  const SkeletonPlan plan = head_plan();
  EXPECT_FALSE(find_eyes(plan, with_head({eye(0.3, 0.1)})).has_value());
  EXPECT_FALSE(find_eyes(plan, with_head({eye(0.3, 0.1), eye(-0.45, 0.1)})).has_value());
  EXPECT_FALSE(find_eyes(plan, with_head({eye(0.3, 0.1), eye(-0.3, 0.14)})).has_value());
  // Pearls below, and a pupil inside.
  const auto found = find_eyes(plan, with_head({eye(0.3, 0.1), eye(-0.3, 0.1), eye(0.3, 0.05), eye(-0.3, 0.05),
                                                eye(0.9, 0.06, 0.8, 0.3), eye(-0.9, 0.06, 0.8, 0.3)}));
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR((*found)[0].radius, 0.1, 1e-3);
  EXPECT_LT(((*found)[0].center - Vec3(0.3, 1.2, 0.85)).norm(), 1e-3);
  EXPECT_LT(((*found)[1].center - Vec3(-0.3, 1.2, 0.85)).norm(), 1e-3);
}

TEST(Eyes, AreRoundInFrontAndOfTheRightSize) {
  const SkeletonPlan plan = head_plan();
  const auto both = [](double radius, double z) {
    return with_head({eye(0.3, radius, 1.2, z), eye(-0.3, radius, 1.2, z)});
  };
  EXPECT_TRUE(find_eyes(plan, both(0.1, 0.85)).has_value());
  EXPECT_FALSE(find_eyes(plan, both(0.01, 0.85)).has_value());
  EXPECT_FALSE(find_eyes(plan, both(0.6, 0.85)).has_value());
  EXPECT_FALSE(find_eyes(plan, both(0.1, -0.85)).has_value());
  Mesh flat = both(0.1, 0.85);
  for (Vec3& p : flat.positions)
    if (p.z() > 0.7 && std::abs(p.x()) < 0.45 && std::abs(p.y() - 1.2) < 0.12) p.z() = 0.85 + 0.4 * (p.z() - 0.85);
  EXPECT_FALSE(find_eyes(plan, flat).has_value());
}

TEST(Eyes, HalfASphereIsEnough) {
  Mesh half = with_head({eye(0.3, 0.1), eye(-0.3, 0.1)});
  Mesh open;
  open.positions = half.positions;
  for (Index f = 0; f < half.face_count(); ++f) {
    Vec3 middle = Vec3::Zero();
    for (const Index v : half.face(f)) middle += half.positions[v] / static_cast<double>(half.face(f).size());
    const bool behind = middle.z() < 0.84 && std::hypot(std::abs(middle.x()) - 0.3, middle.y() - 1.2) < 0.11 &&
                        middle.z() > 0.74 &&
                        (Vec3(std::abs(middle.x()), middle.y(), middle.z()) - Vec3(0.3, 1.2, 0.85)).norm() < 0.11;
    if (!behind) open.add_face(half.face(f));
  }
  ASSERT_LT(open.face_count(), half.face_count());
  const auto found = find_eyes(head_plan(), open);
  ASSERT_TRUE(found.has_value());
  EXPECT_LT(((*found)[0].center - Vec3(0.3, 1.2, 0.85)).norm(), 0.01);
}

}  // namespace
}  // namespace sinew::rigging
