// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/curves/template_joints.h"

#include <gtest/gtest.h>

#include <random>

namespace sinew::rigging {
namespace {

CurveChain straight_chain(int nodes, double length) {
  CurveChain chain;
  for (int i = 0; i < nodes; ++i) {
    const double x = length * i / (nodes - 1);
    chain.nodes.push_back({static_cast<Index>(i), Vec3(x, 0, 0), 0.1});
    chain.along.push_back(x);
  }
  return chain;
}

TEST(TemplateJoint, KeepsTheRatiosAndTheSideOfTheTemplate) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto point = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  int judged = 0;
  for (int i = 0; i < 10000; ++i) {
    const TemplateTriple t = {point(), point(), point()};
    const Vec3 first = point(), second = point();
    const Mat3 turn = Quat(unit(random), unit(random), unit(random), unit(random)).normalized().toRotationMatrix();
    const double base = (t.first - t.second).norm(), own = (first - second).norm();
    const Vec3 line = (t.first - t.second) / base;
    const Vec3 off = (t.sought - t.second) - (t.sought - t.second).dot(line) * line;
    if (base < 0.05 || own < 0.05 || off.norm() < 0.03 * base) continue;
    ++judged;
    const Vec3 found = template_joint(first, second, t, turn);
    EXPECT_NEAR((found - first).norm() / own, (t.sought - t.first).norm() / base,
                1e-10 * (1 + (t.sought - t.first).norm() / base));
    EXPECT_NEAR((found - second).norm() / own, (t.sought - t.second).norm() / base,
                1e-10 * (1 + (t.sought - t.second).norm() / base));
    const Vec3 u = (first - second) / own;
    Vec3 side = turn * off;
    side -= side.dot(u) * u;
    EXPECT_GE((found - second).dot(side), -1e-10);
  }
  EXPECT_GT(judged, 8000);
}

TEST(TemplateJoint, OnTheLineOfTheTemplateIsAtTheSameFraction) {
  const TemplateTriple t = {Vec3(2, 0, 0), Vec3(0, 0, 0), Vec3(0.6, 0.001, 0)};
  EXPECT_LT((template_joint(Vec3(0, 10, 0), Vec3(0, 0, 0), t, Mat3::Identity()) - Vec3(0, 3, 0)).norm(), 1e-12);
}

TEST(MatchBends, KeepsBendsNearTheirJointsAndFillsTheRestInProportion) {
  const CurveChain chain = straight_chain(21, 4);
  const std::vector<double> fractions = {0.4, 0.8};
  const std::vector<MatchedJoint> none = match_bends(chain, {}, fractions);
  EXPECT_NEAR(none[0].along, 1.6, 1e-12);
  EXPECT_NEAR(none[1].along, 3.2, 1e-12);
  const std::vector<CurveBend> bends = {{2.0, 1.0}};
  const std::vector<MatchedJoint> one = match_bends(chain, bends, fractions);
  EXPECT_NEAR(one[0].along, 2.0, 1e-12);
  EXPECT_TRUE(one[0].bend);
  EXPECT_NEAR(one[1].along, 2 + 2 * (0.8 - 0.4) / 0.6, 1e-12);
  EXPECT_FALSE(one[1].bend);
  const std::vector<CurveBend> far = {{0.2, 1.0}};
  EXPECT_NEAR(match_bends(chain, far, fractions)[0].along, 1.6, 1e-12);
}

TEST(CurveChain, FractionsSplitItsLength) {
  const CurveChain chain = straight_chain(7, 3);
  EXPECT_NEAR(chain.at(at_fractions(chain, std::vector<double>{0.25})[0]).x(), 0.75, 1e-6);
  EXPECT_NEAR(chain.nearest(Vec3(1.1, 5, 0)), 1.1, 1e-12);
}

}  // namespace
}  // namespace sinew::rigging
