// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/rotation.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/core/rotation_between.h"

namespace sinew {
namespace {

Quat random_rotation(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  return Quat(normal(rng), normal(rng), normal(rng), normal(rng)).normalized();
}

Mat3 random_matrix(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Mat3 m;
  for (int i = 0; i < 9; ++i) m(i) = normal(rng);
  return m;
}

TEST(Rotation, LogAndExpAreInverse) {
  std::mt19937 rng(1);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random_rotation(rng);
    EXPECT_LT(rotation_exp(rotation_log(q)).angularDistance(q), 1e-7);
    EXPECT_LE(rotation_log(q).norm(), kPi + 1e-12);
  }
  EXPECT_EQ(rotation_log(Quat::Identity()).norm(), 0);
  const Vec3 tiny(1e-9, -2e-9, 3e-9);
  EXPECT_LT((rotation_log(rotation_exp(tiny)) - tiny).norm(), 1e-20);
}

TEST(Rotation, BetweenTwoDirectionsIsTheShortestAlsoNearHalfATurn) {
  std::mt19937 rng(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 from(normal(rng), normal(rng), normal(rng));
    // Every third pair is nearly or exactly opposite.
    const Vec3 other(normal(rng), normal(rng), normal(rng));
    const Vec3 to = i % 3 == 0 ? Vec3(-2 * from + (i % 2 == 0 ? 1e-7 : 0) * other) : other;
    const Quat q = rotation_between(from, to);
    EXPECT_NEAR(q.norm(), 1, 1e-14);
    EXPECT_LT((q * from.normalized() - to.normalized()).norm(), 2e-8);
    const double angle = std::atan2(from.cross(to).norm(), from.dot(to));
    EXPECT_NEAR(q.angularDistance(Quat::Identity()), angle, 2e-8);
    const Eigen::Quaternionf single = rotation_between_f(from.cast<float>(), to.cast<float>());
    EXPECT_LT((single * from.normalized().cast<float>() - to.normalized().cast<float>()).norm(), 1e-3F);
  }
  EXPECT_EQ(rotation_between(Vec3::Zero(), Vec3::UnitX()).coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(rotation_between(Vec3::UnitX(), Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
}

TEST(Rotation, SwingTimesTwistIsTheRotationAndSwingHasNoTwist) {
  std::mt19937 rng(2);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random_rotation(rng);
    const Vec3 axis = random_rotation(rng) * Vec3::UnitX();
    const auto [swing, twist] = swing_twist(q, axis);
    EXPECT_LT((swing * twist).angularDistance(q), 1e-7);
    EXPECT_LT(twist.vec().cross(axis).norm(), 1e-12);
    EXPECT_NEAR(swing.vec().dot(axis), 0, 1e-12);
    EXPECT_LT(Quat(Eigen::AngleAxisd(twist_angle_rad(q, axis), axis)).angularDistance(twist), 1e-7);
  }
}

TEST(Rotation, TwistAngleCountsTurnsAboutTheAxis) {
  for (const double angle : {-3.0, -1.0, 0.0, 0.5, 2.0, kPi})
    EXPECT_NEAR(twist_angle_rad(Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())), Vec3::UnitY()), angle, 1e-12);
  const Quat half_turn_across(Eigen::AngleAxisd(kPi, Vec3::UnitX()));
  EXPECT_TRUE(swing_twist(half_turn_across, Vec3::UnitY()).twist.isApprox(Quat::Identity()));
}

TEST(Rotation, PolarGivesAProperRotationAndASymmetricStretch) {
  std::mt19937 rng(3);
  for (int i = 0; i < 1000; ++i) {
    const Mat3 a = random_matrix(rng);
    const auto [r, p] = polar(a);
    EXPECT_NEAR(r.determinant(), 1, 1e-10);
    EXPECT_LT((r * r.transpose() - Mat3::Identity()).norm(), 1e-10);
    EXPECT_LT((p - p.transpose()).norm(), 1e-10);
    EXPECT_LT((r * p - a).norm(), 1e-10);
  }
}

TEST(Rotation, DecomposeRebuildsEveryMatrix) {
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    Mat4 m = Mat4::Identity();
    m.topLeftCorner<3, 3>() = random_matrix(rng);
    m.topRightCorner<3, 1>() = Vec3(normal(rng), normal(rng), normal(rng));
    const Decomposed d = decompose(m);
    Mat4 back = d.transform.matrix();
    back.topLeftCorner<3, 3>() *= d.shear;
    EXPECT_LT((back - m).norm(), 1e-9) << m;
  }
}

TEST(Rotation, DecomposeFindsNoShearInTranslationRotationScale) {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> scale(-2, 2);
  for (int i = 0; i < 1000; ++i) {
    Transform t{Vec3(1, 2, 3), random_rotation(rng), Vec3(scale(rng), scale(rng), scale(rng))};
    const Decomposed d = decompose(t.matrix());
    EXPECT_LT((d.shear - Mat3::Identity()).norm(), 1e-9);
    EXPECT_LT((d.transform.matrix() - t.matrix()).norm(), 1e-9);
  }
}

TEST(Rotation, DecomposeKeepsZeroScale) {
  Transform t;
  t.scale = Vec3(1, 0, 2);
  EXPECT_LT((decompose(t.matrix()).transform.matrix() - t.matrix()).norm(), 1e-12);
  t.scale = Vec3::Zero();
  EXPECT_EQ(decompose(t.matrix()).transform.scale, Vec3::Zero());
}

TEST(Rotation, SlerpTakesTheShortWayAtConstantSpeed) {
  std::mt19937 rng(6);
  for (int i = 0; i < 200; ++i) {
    const Quat a = random_rotation(rng);
    Quat b = random_rotation(rng);
    const double whole = a.angularDistance(b);
    EXPECT_NEAR(a.angularDistance(slerp(a, b, 0.25)), 0.25 * whole, 1e-7);
    const Quat straight = slerp(a, b, 0.7);
    b.coeffs() = -b.coeffs();
    EXPECT_LT(slerp(a, b, 0.7).angularDistance(straight), 1e-7);
  }
}

TEST(Rotation, EulerOrderAppliesItsFirstLetterFirst) {
  const Quat q = rotation_from_euler(Vec3(0.3, 0.5, 0.7), "xyz");
  const Quat expected = Quat(Eigen::AngleAxisd(0.7, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(0.5, Vec3::UnitY())) *
                        Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()));
  EXPECT_LT(q.angularDistance(expected), 1e-12);
}

}  // namespace
}  // namespace sinew
