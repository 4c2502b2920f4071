// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/helpers/bend_joints.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.h"
#include "sinew/shapes/kinds.h"

namespace sinew::rigging {
namespace {

shapes::Made bent_cylinder() {
  shapes::MakeOptions options;
  options.width = 1.5;
  return shapes::make("cylinder", options).made;
}

double bend_row_sum(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& influence : row) sum += static_cast<double>(influence.weight);
  return sum;
}

std::vector<Vec3> rest_shape(const Rig& rig) {
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton), bind = inverse_bind_of_part(rig, 0);
  std::vector<Vec3> positions;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    Vec3 sum = Vec3::Zero();
    for (const Influence& influence : rig.weights.row(v))
      sum += static_cast<double>(influence.weight) *
             transform_point(rest[influence.joint] * bind[influence.joint], rig.mesh.positions[v]);
    positions.push_back(sum);
  }
  return positions;
}

TEST(BendJoints, TheBellTakesNoMoreThanThereIsAndIsSymmetric) {
  for (int i = 0; i <= 100; ++i) {
    const double s = i / 100.0, bell = bend_bell(s);
    EXPECT_GE(bell, 0);
    EXPECT_LE(0.5 * bell, std::min(s, 1 - s) + 1e-12);
    EXPECT_NEAR(bell, bend_bell(1 - s), 1e-12);
  }
  EXPECT_NEAR(bend_bell(0.5), 0.78, 0.01);
}

TEST(BendJoints, ABentLimbKeepsItsVolumeNearTheJoint) {
  shapes::Made made = bent_cylinder();
  Rig& rig = made.character.rig;
  const BendJoint added = add_bend_joint(rig, 1, Vec3::UnitX(), rest_matrices(rig.skeleton));
  EXPECT_LT(added.volume_before, 0.96);
  EXPECT_NEAR(added.volume_after, 1, 1e-4);
  EXPECT_GT(added.growth, 0);
  EXPECT_LE(added.growth, 0.125);
  const Joint& helper = rig.skeleton.joints[added.helper];
  EXPECT_EQ(helper.parent, 0U);
  EXPECT_EQ(helper.name, "Joint1Bend");
  EXPECT_EQ(helper.role, "helper");
  ASSERT_TRUE(helper.driver.has_value());
  EXPECT_EQ(helper.driver->kind, Driver::Kind::kPolynomial);
  EXPECT_EQ(helper.driver->source, 1U);
  EXPECT_EQ(helper.driver->coefficients.size(), 9U);
  EXPECT_TRUE(validate(rig).empty());
}

TEST(BendJoints, AnAxisThatIsNotKnownGivesTheSameVolumeOnARoundLimb) {
  double growth[2];
  for (const int unknown : {0, 1}) {
    shapes::Made made = bent_cylinder();
    Rig& rig = made.character.rig;
    const Vec3 axis = unknown != 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::UnitZ());
    growth[unknown] = add_bend_joint(rig, 1, axis, rest_matrices(rig.skeleton)).growth;
  }
  EXPECT_NEAR(growth[0], growth[1], 2e-3);
}

TEST(BendJoints, RowsKeepTheirSumsAndOtherJointsTheirWeights) {
  shapes::Made made = bent_cylinder();
  Rig& rig = made.character.rig;
  const SkinWeights before = rig.weights;
  const BendJoint added = add_bend_joint(rig, 1, Vec3::UnitX(), rest_matrices(rig.skeleton));
  Index changed = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    EXPECT_NEAR(bend_row_sum(before.row(v)), bend_row_sum(rig.weights.row(v)), 2e-7);
    const auto on = [&](const SkinWeights& weights, Index joint) {
      for (const Influence& influence : weights.row(v))
        if (influence.joint == joint) return influence.weight;
      return 0.0F;
    };
    EXPECT_EQ(on(before, 2), on(rig.weights, 2));
    // The same from both.
    EXPECT_NEAR(on(before, 0) - on(rig.weights, 0), 0.5F * on(rig.weights, added.helper), 2e-7);
    changed += on(rig.weights, added.helper) > 0;
  }
  EXPECT_GT(changed, 0U);
  EXPECT_LE(changed, added.vertices);
}

TEST(BendJoints, TheRestShapeStaysAlsoWhereTheBindPoseIsAnother) {
  shapes::Made made = bent_cylinder();
  Rig& rig = made.character.rig;
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  rig.skeleton.joints[0].rest.rotation = rotation_exp(Vec3(0.3, 0.2, 0.9));
  rig.skeleton.joints[1].rest.rotation = rotation_exp(Vec3(0.5, 1.1, 0.1));
  const std::vector<Vec3> before = rest_shape(rig);
  add_bend_joint(rig, 1, Vec3::UnitX(), frames);
  const std::vector<Vec3> after = rest_shape(rig);
  for (std::size_t v = 0; v < before.size(); ++v) ASSERT_LT((before[v] - after[v]).norm(), 2e-7 * rig.mesh.size());
}

TEST(BendJoints, AJointThatBendsNothingIsRefused) {
  shapes::Made made = bent_cylinder();
  Rig& rig = made.character.rig;
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  EXPECT_THROW(add_bend_joint(rig, 0, Vec3::UnitX(), frames), Error);
  SkinWeights rigid;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) rigid.add_row({Influence{v % 2, 1.0F}});
  rig.weights = rigid;
  EXPECT_THROW(add_bend_joint(rig, 1, Vec3::UnitX(), frames), Error);
}

}  // namespace
}  // namespace sinew::rigging
