// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/joint_volume.h"

#include <gtest/gtest.h>

#include "tests/measure/limb_rigs.h"

namespace sinew::measure {
namespace {

struct Limb {
  Rig rig = test::cylinder_rig(3, 80, 32);
  geometry::Welding welding = geometry::weld(rig.mesh);
  Limbs limbs = measure::limbs(rig, bound_shape(rig));
  JointVolumes volumes{rig, welding, limbs};
};

TEST(JointVolumes, OfALimbAreKeptByRigidMotionsAndGrowWithTheScale) {
  const Limb limb;
  const JointVolumes::Region region = limb.volumes.region(1, false);
  ASSERT_GT(region.rest_volume, 0);
  std::vector<Vec3> moved = limb.rig.mesh.positions, larger = moved;
  for (Vec3& p : moved) p = test::turn(Vec3(1, -1, 2).normalized(), 2.2) * p + Vec3(4, 5, 6);
  for (Vec3& p : larger) p *= 2;
  EXPECT_NEAR(region.volume(moved) / region.rest_volume, 1, 1e-9);
  EXPECT_NEAR(region.volume(larger) / region.rest_volume, 8, 1e-9);
}

TEST(JointVolumes, FallWithATwistByLinearBlending) {
  const Limb limb;
  const JointVolumes::Region region = limb.volumes.region(1, true);
  const Shape twisted = test::linear_shape(limb.rig, test::turned(limb.rig, {{1, test::turn(Vec3::UnitY(), 2.8)}}));
  EXPECT_LT(region.volume(twisted.positions), 0.95 * region.rest_volume);
}

TEST(JointVolumes, OfATwistIncludeTheBoneBefore) {
  const Limb limb;
  EXPECT_GT(limb.volumes.region(1, true).faces.size(), limb.volumes.region(1, false).faces.size());
}

TEST(JointVolumes, OfAJointThatBendsNothingAreNothing) {
  const Limb limb;
  EXPECT_EQ(limb.volumes.region(0, false).rest_volume, 0);
}

}  // namespace
}  // namespace sinew::measure
