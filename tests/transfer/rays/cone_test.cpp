// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/cone.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/transfer/rays/skeleton_aware.h"
#include "tests/transfer/limb.h"

namespace sinew::transfer {
namespace {

TEST(CapDirections, FillTheCapEvenly) {
  for (const int count : {1, 2, 7, 32, 128, 1000})
    for (const double cone : {0.0, radians(2), radians(15), radians(30), radians(90)}) {
      const std::vector<Vec3> directions = cap_directions(count, cone);
      ASSERT_EQ(directions.size(), static_cast<std::size_t>(count));
      Vec3 mean = Vec3::Zero(), around = Vec3::Zero();
      for (const Vec3& d : directions) {
        EXPECT_NEAR(d.norm(), 1, 1e-6);
        EXPECT_GE(d.z(), std::cos(cone) - 1e-6);
        mean += d / count;
        const double across = std::hypot(d.x(), d.y());
        if (across > 0) around += Vec3(d.x(), d.y(), 0) / across / count;
      }
      EXPECT_NEAR(mean.z(), (1 + std::cos(cone)) / 2, 1e-6);
      EXPECT_LT(around.norm(), 2.0 / count);
    }
}

TEST(CapDirections, AreTheAxisItselfForNoAngle) {
  for (const Vec3& d : cap_directions(5, 0)) EXPECT_EQ(d, Vec3::UnitZ());
}

TEST(CapDirections, HaveAsManyInEqualAreas) {
  const std::vector<Vec3> directions = cap_directions(1200, radians(60));
  std::array<int, 12> counts = {};
  for (const Vec3& d : directions) {
    const auto ring = std::min(2.0, std::floor(3 * (1 - d.z()) / 0.5));
    const auto sector = std::min(3.0, std::floor(4 * (std::atan2(d.y(), d.x()) / kTwoPi + 0.5)));
    ++counts[static_cast<std::size_t>(4 * ring + sector)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 100, 6);
}

TEST(ConeSpiral, TurnsWithItsAxisAndTheSideItStartsFrom) {
  const ConeSpiral spiral(16);
  std::vector<Vec3f> plain(16), turned(16);
  const Vec3 axis = Vec3(1, 2, -1).normalized(), beside(0.3, -2, 1);
  const Quat q(Eigen::AngleAxisd(1.1, Vec3(1, -1, 2).normalized()));
  spiral.directions(axis, beside, 0.4, plain);
  spiral.directions(q * axis, 5 * (q * beside), 0.4, turned);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_LT((q.cast<float>() * plain[i] - turned[i]).norm(), 1e-6F);
}

TEST(ConeSpiral, TakesAnySideWhereNoneIsGiven) {
  const ConeSpiral spiral(16);
  std::vector<Vec3f> directions(16);
  for (const Vec3& beside : {Vec3(0, 0, 0), Vec3(0, 3, 0), Vec3(0, -3, 0)}) {
    spiral.directions(Vec3::UnitY(), beside, 0.4, directions);
    for (const Vec3f& d : directions) {
      EXPECT_NEAR(d.norm(), 1, 1e-6);
      EXPECT_GE(d.y(), std::cos(0.4F) - 1e-6F);
    }
  }
}

}  // namespace
}  // namespace sinew::transfer
