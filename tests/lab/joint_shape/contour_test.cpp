// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/joint_contour.h"

#include <gtest/gtest.h>

#include "sinew/deform/bind_frames.h"
#include "sinew/lab/implicit/limb.h"

namespace sinew::lab {
namespace {

TEST(JointContour, OfAStraightLimbHasNoProtrusionAndTellsThatOfALump) {
  const LimbShape shape;
  const Rig limb = two_bone_limb(shape);
  const measure::JointContour contour(limb, deform::bind_frames(limb), 1, 0, shape.radius);
  ASSERT_TRUE(contour.usable());
  const ModelPose pose = limb_pose(limb, Vec3::UnitZ(), 0);
  std::vector<Vec3f> positions;
  for (const Vec3& p : limb.mesh.positions) positions.push_back(p.cast<float>());
  EXPECT_LT(contour.measure(pose, positions).largest, 0.01);
  // A vertex in the middle of the limb moves out by a quarter of the radius.
  std::size_t lump = 0;
  for (std::size_t v = 0; v < positions.size(); ++v)
    if (std::abs(positions[v].x()) < std::abs(positions[lump].x())) lump = v;
  positions[lump] +=
      0.25F * static_cast<float>(shape.radius) * Vec3f(0, positions[lump].y(), positions[lump].z()).normalized();
  // Between two directions, a lump is seen a little smaller than it is.
  EXPECT_GT(contour.measure(pose, positions).largest, 0.19);
  EXPECT_LE(contour.measure(pose, positions).largest, 0.25 + 1e-6);
}

}  // namespace
}  // namespace sinew::lab
