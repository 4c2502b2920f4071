// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/dual_quat.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"

namespace sinew {
namespace {

Mat4 motion(const Vec3& rotation_vector, const Vec3& translation) {
  return Transform{translation, rotation_exp(rotation_vector), Vec3::Ones()}.matrix();
}

TEST(DualQuat, GoesToAMatrixAndBack) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> number(-2, 2);
  const auto vector = [&] {
    const double x = number(rng), y = number(rng), z = number(rng);
    return Vec3(x, y, z);
  };
  for (int i = 0; i < 10000; ++i) {
    const Vec3 rotation_vector = vector(), translation = vector();
    const Mat4 m = motion(rotation_vector, translation);
    ASSERT_LT((matrix_of(dual_quat(m)) - m).cwiseAbs().maxCoeff(), 1e-12);
    const DualQuat q = dual_quat(rotation_exp(rotation_vector), translation);
    ASSERT_LT((matrix_of(q) - m).cwiseAbs().maxCoeff(), 1e-12);
  }
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0.6, 0, -0.8)}) {
    const Mat4 m = motion(kPi * axis, Vec3::Zero());
    EXPECT_LT((matrix_of(dual_quat(m)) - m).cwiseAbs().maxCoeff(), 1e-12);
  }
}

}  // namespace
}  // namespace sinew
