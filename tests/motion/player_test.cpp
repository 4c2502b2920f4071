// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/player.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/motion/sample.h"
#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

Rig chain(unsigned seed = 3) {
  Rig rig;
  rig.skeleton = test::skeleton_at({{"A", -1, {0, 0, 0}}, {"B", 0, {1, 0.2, 0}}, {"C", 1, {2, 0, 0.3}}}, seed);
  rig.mesh.parts.resize(1);
  rig.mesh.parts[0].morphs.resize(2);
  rig.mesh.parts[0].morph_weights = {0, 0};
  return rig;
}

// Joint 1 twists by `turns` turns and bends a little, with keys at a quarter turn or less.
Clip twisting(const Rig& rig, double turns, int keys, double bend_rad) {
  const Vec3 axis = bone_axis(rig.skeleton, 1);
  Track track;
  track.path = Track::Path::kRotation;
  track.target = 1;
  for (int k = 0; k <= keys; ++k) {
    const double t = static_cast<double>(k) / keys;
    const Quat q = rig.skeleton.joints[1].rest.rotation *
                   Quat(Eigen::AngleAxisd(bend_rad * std::sin(6 * t), axis.unitOrthogonal())) *
                   Quat(Eigen::AngleAxisd(turns * kTwoPi * t, axis));
    track.times_s.push_back(static_cast<float>(2 * t));
    for (const double value : q.coeffs()) track.values.push_back(static_cast<float>((k % 3 == 0 ? -1 : 1) * value));
  }
  return {"twist", {track}};
}

TEST(Player, TwoFullTurnsAreSevenHundredAndTwentyDegrees) {
  const Rig rig = chain();
  for (const double turns : {2.0, -2.0, 3.5}) {
    const Player player(rig, twisting(rig, turns, 20, 0.0));
    for (const double t : {2.0, 0.0, 1.3, 0.7, 1.999})  // In any order.
      EXPECT_NEAR(player.at(t).twist_rad[1], turns * kTwoPi * t / 2, 1e-4) << t;
  }
}

TEST(Player, TheTwistIsContinuousAndEqualToThatOfTheRotation) {
  const Rig rig = chain();
  const Player player(rig, twisting(rig, 2, 14, 1.0));
  const Vec3 axis = bone_axis(rig.skeleton, 1);
  double before = player.at(0).twist_rad[1];
  for (double t = 0; t <= 2; t += 0.005) {
    const Pose pose = player.at(t);
    EXPECT_LT(std::abs(pose.twist_rad[1] - before), 0.2) << t;
    before = pose.twist_rad[1];
    const double bounded = twist_angle_rad(delta_rotation(rig.skeleton.joints[1].rest, pose.local[1]), axis);
    EXPECT_NEAR(std::remainder(pose.twist_rad[1] - bounded, kTwoPi), 0, 1e-9);
    EXPECT_EQ(pose.local[1], sample(rig, player.clip(), t).local[1]);
    EXPECT_EQ(pose.twist_rad[0], 0);
  }
  EXPECT_NEAR(before, 2 * kTwoPi, 0.4);
}

TEST(Player, StepsBetweenCurvePointsStayBelowAQuarterTurn) {
  const Rig rig = chain();
  const auto curves = unwrap_twists(rig, twisting(rig, 1.9, 4, 0.3));  // 171° from key to key.
  ASSERT_FALSE(curves[1].empty());
  EXPECT_TRUE(curves[0].empty());
  for (std::size_t i = 1; i < curves[1].times_s.size(); ++i)
    EXPECT_LE(std::abs(curves[1].twist_rad[i] - curves[1].twist_rad[i - 1]), 0.25 * kTwoPi + 1e-9);
  EXPECT_NEAR(curves[1].twist_rad.back(), 1.9 * kTwoPi, 1e-3);
}

TEST(Player, RefusesAClipOfAnotherSkeleton) {
  Rig rig = chain();
  Clip clip = twisting(rig, 1, 8, 0);
  clip.tracks[0].target = 7;
  EXPECT_THROW(Player(rig, clip), Error);
}

}  // namespace
}  // namespace sinew::motion
