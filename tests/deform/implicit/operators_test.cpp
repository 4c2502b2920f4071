// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/operators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/support.h"

namespace sinew::deform {
namespace {

TEST(CompactSupport, FallsFromOneToZeroWithContinuousSecondDerivatives) {
  const double R = 0.7, e = 1e-4;
  EXPECT_EQ(compact_support(0.0, R).field, 0.5);
  double before = 1;
  for (double d = -1.2 * R; d < 1.2 * R; d += 1e-3) {
    const auto here = compact_support(d, R);
    EXPECT_LE(here.field, before);
    before = here.field;
    const double slope = (compact_support(d + e, R).field - compact_support(d - e, R).field) / (2 * e);
    EXPECT_NEAR(slope, here.slope, 1e-5);
  }
  for (const double border : {-R, R}) {
    EXPECT_NEAR(compact_support(border, R).slope, 0, 1e-12);
    const double curvature = (compact_support(border + e, R).slope - compact_support(border - e, R).slope) / (2 * e);
    EXPECT_NEAR(curvature, 0, 1e-2);
  }
}

struct Fields {
  double f1, f2, h;
};

Fields draw(std::mt19937& rng) {
  std::uniform_real_distribution<double> any(0, 1);
  const double f1 = any(rng), f2 = any(rng), h = any(rng);
  return {f1, f2, h};
}

TEST(Blend, IsContinuousWithItsDerivativesSymmetricAndNeverBelowTheUnion) {
  std::mt19937 rng(5);
  const double e = 1e-7;
  for (int i = 0; i < 100000; ++i) {
    const auto [f1, f2, h] = draw(rng);
    const auto here = blend(f1, f2, h), mirrored = blend(f2, f1, h);
    EXPECT_EQ(here.field, mirrored.field);
    EXPECT_EQ(here.by_first, mirrored.by_second);
    EXPECT_GE(here.field, std::max(f1, f2));
    // A small step changes the value as the derivatives say, wherever borders of zones are. At h near 1 arcs are short.
    const auto there = blend(f1 + e, f2 - e, h);
    EXPECT_NEAR(there.field - here.field, e * (here.by_first - here.by_second), 1e-3 * e + 1e-10) << f1 << " " << f2;
    if (h < 0.95) {
      EXPECT_NEAR(there.by_first, here.by_first, 1e-2) << f1 << " " << f2 << " " << h;
    }
    if (std::max(f1, f2) > 0.7) {
      EXPECT_EQ(here.field, std::max(f1, f2));
    }
  }
}

TEST(Blend, WithOpeningOneIsTheUnionBitForBit) {
  std::mt19937 rng(6);
  for (int i = 0; i < 10000; ++i) {
    const auto [f1, f2, h] = draw(rng);
    EXPECT_EQ(blend(f1, f2, 1.0).field, std::max(f1, f2));
  }
}

TEST(Blend, RoundsTheUnionWhereFieldsAreEqual) {
  EXPECT_GT(blend(0.45, 0.45, 0.3).field, 0.5);
  EXPECT_NEAR(blend(0.3, 0.4, 0.0).field, 0.5, 1e-12);
}

TEST(Bulge, IsContinuousAndGrowsWithItsStrength) {
  std::mt19937 rng(7);
  const double e = 1e-6;
  for (int i = 0; i < 20000; ++i) {
    const auto [f1, f2, h] = draw(rng);
    const auto here = bulge(f1, f2, h, 0.25);
    EXPECT_GE(here.field, std::max(f1, f2));
    EXPECT_LE(here.field, 1.0);
    if (std::min(f1, f2) > 0.55) {
      EXPECT_EQ(here.field, std::max(f1, f2));
    }
    if (std::abs(std::min(f1, f2) - 0.55) < 1e-3 || h > 0.9) continue;
    EXPECT_NEAR(bulge(f1 + e, f2, h, 0.25).field, here.field, 1e-3);
  }
  EXPECT_GT(bulge(0.45, 0.3, 0.0, 0.4).field, bulge(0.45, 0.3, 0.0, 0.2).field);
}

TEST(OpeningCurve, IsTabulatedOverTheCosineAndSpeltOverTheAngle) {
  const OpeningCurve elbow = elbow_opening();
  EXPECT_EQ(elbow.at_cosine(0.1), 1);
  EXPECT_NEAR(elbow.at_cosine(0.7), 0.43, 1e-12);
  for (double angle = 0; angle < kPi; angle += 0.01) EXPECT_EQ(elbow.at_angle(angle), elbow.at_cosine(std::cos(angle)));
  const double e = 1e-6;
  for (double c = -1; c < 1; c += 1e-3) EXPECT_NEAR(elbow.at_cosine(c), elbow.at_cosine(c + e), 1e-4);
}

TEST(FieldOperator, FollowsTheCurveThroughItsTable) {
  const FieldOperator join(JointOperator::kBlend, elbow_opening(), 0);
  for (float c = -1; c <= 1; c += 0.03F) {
    const auto exact = blend(0.45, 0.4, elbow_opening().at_cosine(static_cast<double>(c)));
    EXPECT_NEAR(join(0.45F, 0.4F, c).field, exact.field, 1e-3);
  }
  EXPECT_EQ(FieldOperator()(0.3F, 0.6F, 1).field, 0.6F);
  EXPECT_EQ(join(0.3F, 0.0F, 1).field, 0.3F);
}

}  // namespace
}  // namespace sinew::deform
