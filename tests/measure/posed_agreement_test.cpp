// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/posed_agreement.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "tests/measure/limb_rigs.h"

namespace sinew::measure {
namespace {

TEST(PosedAgreement, OfTheSameWeightsIsExact) {
  const Rig rig = test::cylinder_rig(3, 20, 16);
  const PosedAgreement found = posed_agreement(rig, rig.weights);
  EXPECT_EQ(found.poses, 9U);
  EXPECT_EQ(found.rms, 0);
  EXPECT_EQ(found.max, 0);
}

TEST(PosedAgreement, OfOneVertexOnTheOtherSideIsTheWayItWouldGo) {
  // All on the first joint, but for one vertex that the others give to the second: in the three poses of the second
  // joint it goes, once, as far as turning by 45° about an axis takes it.
  Rig rig = test::cylinder_rig(2, 4, 8);
  SkinWeights own, other;
  const Index lost = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    own.add_row({{0, 1.0F}});
    other.add_row({{v == lost ? 1U : 0U, 1.0F}});
  }
  rig.weights = own;
  const Vec3 arm = rig.mesh.positions[lost] - Vec3(0, 8, 0);
  double largest = 0;
  for (int axis = 0; axis < 3; ++axis)
    largest = std::max(largest, (rotation_exp(kPi / 4 * Vec3::Unit(axis)) * arm - arm).norm());
  const PosedAgreement found = posed_agreement(rig, other);
  EXPECT_EQ(found.joint, 1U);
  EXPECT_NEAR(found.max, largest, 1e-9);
  EXPECT_LT(found.rms, found.max);
  EXPECT_GT(found.rms, 0);
}

}  // namespace
}  // namespace sinew::measure
