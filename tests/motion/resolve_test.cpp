// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/resolve.h"

#include <gtest/gtest.h>

#include "sinew/core/character.h"

namespace sinew::motion {
namespace {

TEST(Resolve, RestPoseGivesTheRestMatricesAndKeepsMorphsAndTwist) {
  Rig rig;
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[0].rest.rotation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
  rig.skeleton.joints[1].parent = 0;
  rig.skeleton.joints[1].rest.translation = {0, 2, 0};
  Pose pose = rest_pose(rig);
  pose.twist_rad = {0, 7};
  pose.morph_weights = {{0.5}};
  const ModelPose model = resolve(rig.skeleton, pose);
  const auto rest = rest_matrices(rig.skeleton);
  ASSERT_EQ(model.joints.size(), 2u);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_LT((model.joints[j] - rest[j]).norm(), 1e-15);
  EXPECT_EQ(model.twist_rad, pose.twist_rad);
  EXPECT_EQ(model.morph_weights, pose.morph_weights);
}

}  // namespace
}  // namespace sinew::motion
