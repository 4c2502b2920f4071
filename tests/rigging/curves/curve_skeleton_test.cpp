// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/curves/curve_skeleton.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/core/angles.h"
#include "sinew/core/curve_measure.h"
#include "sinew/geometry/curves/curves.h"
#include "tests/geometry/curves/cube_figure.h"

namespace sinew::rigging {
namespace {

/// The arm at negative x of the plain figure.
const CurveChain& left_chain(const CurveSkeleton& skeleton) {
  for (const CurveChain& chain : skeleton.limbs)
    if (chain.tip.x() < -4 || chain.nodes.front().position.x() < -0.05) return chain;
  throw std::runtime_error("no arm");
}

/// Bends the arm at negative x about the axis y at a distance from the body: the turn grows over a length of 1, and
/// positions follow the line that has this turn.
std::vector<Vec3> bend_arm(const std::vector<Vec3>& positions, double place, double angle) {
  const auto turn = [&](double s) { return angle * std::clamp(s - place + 0.5, 0.0, 1.0); };
  std::vector<Vec3> bent = positions;
  for (Vec3& p : bent) {
    const double s = -p.x();
    if (s <= 0) continue;
    Vec3 line(0, 0, 0);
    constexpr int kSteps = 400;
    for (int i = 0; i < kSteps; ++i) {
      const double a = turn(s * (i + 0.5) / kSteps);
      line += s / kSteps * Vec3(-std::cos(a), 0, std::sin(a));
    }
    const double a = turn(s), off = p.z() - 3.5;
    p = Vec3(line.x() + off * std::sin(a), p.y(), 3.5 + line.z() + off * std::cos(a));
  }
  return bent;
}

TEST(CurveSkeleton, CentresOfLimbsAreOnTheirAxes) {
  const Mesh mesh = geometry::cube_figure(3);
  const CurveSkeleton skeleton = curve_skeleton(geometry::find_curves(mesh), mesh.positions);
  ASSERT_EQ(skeleton.limbs.size(), 5U);
  ASSERT_EQ(skeleton.trunks.size(), 1U);
  for (const CurveNode& node : left_chain(skeleton).nodes) {
    if (node.position.x() > -1.5 || node.position.x() < -3.5) continue;
    EXPECT_NEAR(node.position.y(), 0.5, 1e-3);
    EXPECT_NEAR(node.position.z(), 3.5, 1e-3);
  }
}

TEST(CurveSkeleton, CentreHardlyMovesWhereOneHalfIsDenser) {
  std::vector<Vec3> positions;
  std::vector<CurvePoint> even, uneven;
  const auto add = [&](double angle, bool both) {
    const auto v = static_cast<Index>(positions.size());
    positions.emplace_back(std::cos(angle), std::sin(angle), 0);
    uneven.push_back({v, v, 0});
    if (both) even.push_back({v, v, 0});
  };
  for (int i = 0; i < 64; ++i) add(kTwoPi * i / 128, i % 2 == 0);
  for (int i = 32; i < 64; ++i) add(kTwoPi * i / 64, true);
  EXPECT_LT(curve_centre(uneven, positions, true).position.norm(), 0.01);
  EXPECT_GT(curve_mean(uneven, positions).norm(), 0.1);
  EXPECT_NEAR(curve_centre(even, positions, true).radius, 1, 0.01);
}

TEST(CurveBends, AreFoundWhereAnArmIsBentWhateverTheDensity) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (const int k : {2, 3, 4}) {
    const Mesh mesh = geometry::cube_figure(k);
    const CurveSet curves = geometry::find_curves(mesh);
    for (int i = 0; i < 6; ++i) {
      const double fraction = draw(0.25, 0.75), angle = draw(25, 120) * kRadPerDegree;
      SCOPED_TRACE(fmt::format("k {} fraction {} angle {}°", k, fraction, angle / kRadPerDegree));
      const std::vector<Vec3> bent = bend_arm(mesh.positions, 5 * fraction, angle);
      const CurveChain chain = left_chain(curve_skeleton(curves, bent));
      const std::vector<CurveBend> bends = find_bends(chain);
      ASSERT_EQ(bends.size(), 1U);
      // The chain begins at the first ring, one spacing from the body.
      const double spacing = 1.0 / (1 << k);
      EXPECT_NEAR(bends[0].along + spacing, 5 * fraction, std::max(0.025 * 5, 1.5 * spacing));
      EXPECT_NEAR(bends[0].angle_rad, angle, 0.15 * angle);
    }
    EXPECT_TRUE(
        find_bends(left_chain(curve_skeleton(curves, bend_arm(mesh.positions, 2.5, 15 * kRadPerDegree)))).empty());
  }
}

TEST(CurveBends, ALongArcHasFewBends) {
  CurveChain ring;
  for (int i = 0; i <= 300; ++i) {
    const double angle = 1.5 * kPi * i / 300;
    ring.nodes.push_back({static_cast<Index>(i), Vec3(std::cos(angle), std::sin(angle), 0), 0.1});
    ring.along.push_back(angle);
  }
  const std::size_t count = find_bends(ring).size();
  EXPECT_GE(count, 1U);
  EXPECT_LE(count, 3U);
}

TEST(CurveBends, PublishedRuleDependsOnDensity) {
  const auto count = [](int k) {
    const Mesh mesh = geometry::cube_figure(k);
    const std::vector<Vec3> bent = bend_arm(mesh.positions, 2.5, 90 * kRadPerDegree);
    return find_bends(left_chain(curve_skeleton(geometry::find_curves(mesh), bent)), BendRule::kPaper).size();
  };
  EXPECT_GE(count(1), 1U);
  EXPECT_EQ(count(4), 0U);
}

}  // namespace
}  // namespace sinew::rigging
