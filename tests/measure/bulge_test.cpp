// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/bulge.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "tests/measure/limb_rigs.h"

namespace sinew::measure {
namespace {

double bulge_at(const Rig& rig, const Shape& posed, Index joint) {
  const Shape bound = bound_shape(rig);
  for (const JointBulge& found : JointBulges(rig.skeleton, bound, limbs(rig, bound)).measure(posed))
    if (found.joint == joint) return found.bulge;
  return -1;
}

TEST(JointBulges, DualQuaternionsSwellAtAnElbowWhereLinearBlendingDoesNot) {
  const Rig rig = test::cylinder_rig(3, 80, 64);
  const ModelPose pose = test::turned(rig, {{1, test::turn(Vec3::UnitX(), kPi / 2)}});
  const double dual = bulge_at(rig, test::dual_quaternion_shape(rig, pose), 1);
  const double linear = bulge_at(rig, test::linear_shape(rig, pose), 1);
  EXPECT_GT(dual, 0.05);
  EXPECT_GT(dual, linear + 0.05);
}

TEST(JointBulges, AreNoneForATwistOrARigidMotion) {
  const Rig rig = test::cylinder_rig(3, 40, 32);
  const Shape twisted = test::dual_quaternion_shape(rig, test::turned(rig, {{1, test::turn(Vec3::UnitY(), 2)}}));
  EXPECT_NEAR(bulge_at(rig, twisted, 1), 0, 1e-6);
  const Shape moved = test::linear_shape(rig, test::turned(rig, {{0, test::turn(Vec3(1, 1, 0).normalized(), 2)}}));
  EXPECT_NEAR(bulge_at(rig, moved, 1), 0, 1e-6);
}

TEST(JointBulges, AreWhatAThickerLimbHas) {
  const Rig rig = test::cylinder_rig(3, 40, 32);
  Shape thick = bound_shape(rig);
  for (Vec3& p : thick.positions) p.x() *= 1.3, p.z() *= 1.3;
  EXPECT_NEAR(bulge_at(rig, thick, 1), 0.3, 1e-9);
}

}  // namespace
}  // namespace sinew::measure
