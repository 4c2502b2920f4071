// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/ik.h"

#include <gtest/gtest.h>

namespace sinew::motion {
namespace {

Skeleton chain_of(std::size_t bones) {
  Skeleton skeleton;
  for (std::size_t i = 0; i <= bones; ++i) {
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.parent = i == 0 ? kNone : static_cast<Index>(i - 1);
    joint.deforming = true;
    if (i > 0) joint.rest.translation = Vec3(0, 1, i % 2 ? 0.1 : -0.1);
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

class Ik : public testing::TestWithParam<std::size_t> {};

TEST_P(Ik, ReachesTargetsAndStretchesTowardsThoseBeyond) {
  const Skeleton skeleton = chain_of(GetParam());
  const auto end = static_cast<Index>(GetParam());
  const std::vector<Index> chain = ik_chain(skeleton, end, 8);
  ASSERT_EQ(chain.size(), GetParam() + 1);
  std::vector<Transform> rest;
  for (const Joint& joint : skeleton.joints) rest.push_back(joint.rest);
  for (const Vec3& target : {Vec3(0.8, 1.1, 0.2), Vec3(-0.5, 0.9, -0.7), Vec3(0, 1.5, 0)}) {
    std::vector<Transform> local = rest;
    EXPECT_LT(solve_ik(skeleton, local, chain, target), 1e-4);
    const std::vector<Mat4> model = model_matrices(skeleton, local);
    EXPECT_LT((Vec3(model[end].topRightCorner<3, 1>()) - target).norm(), 1e-4);
    // Bones keep their lengths, and the last joint its rotation.
    for (std::size_t i = 0; i < rest.size(); ++i) EXPECT_EQ(local[i].translation, rest[i].translation);
    EXPECT_TRUE((model[end].topLeftCorner<3, 3>()).isApprox(Mat3(Mat3::Identity()), 1e-9));
  }
  std::vector<Transform> local = rest;
  const Vec3 far(30, 0, 0);
  solve_ik(skeleton, local, chain, far);
  const std::vector<Mat4> model = model_matrices(skeleton, local);
  EXPECT_NEAR(model[end](0, 3), static_cast<double>(GetParam()) * std::sqrt(1.01), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Bones, Ik, testing::Values(2, 3, 5));

}  // namespace
}  // namespace sinew::motion
