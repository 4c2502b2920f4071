// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/soft_motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/volume.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/geometry/voxels/tets.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

/// A ball of jelly of radius 0.2 around a held core.
struct Jelly {
  TetMesh tets;
  SoftBody body;

  explicit Jelly(double stiffness = 9, double damping = 0.2) {
    Box box;
    box.extend(Vec3::Constant(-0.25)), box.extend(Vec3::Constant(0.25));
    tets = geometry::stuff([](const Vec3& p) { return p.norm() - 0.2; }, box, 0.05);
    body.unit = 0.05;
    body.size = 0.7;
    for (const Vec3& p : tets.positions) {
      body.mass.push_back(1);
      body.hold.push_back(p.norm() < 0.06 ? 0 : std::sqrt(stiffness) / p.norm());
      body.damping.push_back(damping);
      body.farthest.push_back(1);
    }
    body.tets = tets.tets;
    body.volume_stiffness.assign(tets.tets.size(), 20 * stiffness / (0.05 * 0.05) / 0.04);
    for (const auto& tet : tets.tets)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j)
          body.edges.push_back({std::min(tet[i], tet[j]), std::max(tet[i], tet[j])});
    std::sort(body.edges.begin(), body.edges.end());
    body.edges.erase(std::unique(body.edges.begin(), body.edges.end()), body.edges.end());
    body.edge_stiffness.assign(body.edges.size(), 2 * stiffness / (0.05 * 0.05));
  }

  /// Targets of a moment: shifted, and turned about the vertical axis.
  std::vector<Vec3> at(const Vec3& shift, double angle_rad = 0) const {
    std::vector<Vec3> targets;
    const Mat3 turn = Eigen::AngleAxisd(angle_rad, Vec3::UnitY()).toRotationMatrix();
    for (const Vec3& p : tets.positions) targets.push_back(turn * p + shift);
    return targets;
  }

  /// A wild motion that stops after half a second, and what follows until `seconds`.
  std::vector<SoftMotion::State> play(double dt_s, double seconds, const std::vector<Vec3>& gravity = {}) const {
    const SoftMotion motion(body);
    SoftMotion::State state;
    std::vector<SoftMotion::State> frames;
    for (int f = 0; f * dt_s <= seconds; ++f) {
      const double t = std::min(f * dt_s, 0.5);
      motion.advance(state, at({0.3 * std::sin(20 * t), 0.2 * std::sin(31 * t), 0}, 3 * t), gravity, f == 0 ? 0 : dt_s);
      frames.push_back(state);
    }
    return frames;
  }
};

float largest(const SoftMotion::State& state) {
  float most = 0;
  for (const Vec3f& d : state.shown) most = std::max(most, d.norm());
  return most;
}

bool same(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3f)) == 0;
}

TEST(SoftMotion, ABodyThatDoesNotAccelerateIsNotMoved) {
  const Jelly jelly;
  const SoftMotion motion(jelly.body);
  SoftMotion::State state;
  for (int f = 0; f < 10; ++f) motion.advance(state, jelly.at({0.125 * f, 0, 0}), {}, f == 0 ? 0 : 0.03125);
  EXPECT_LT(largest(state), 1e-6F);  // Speeds have rounding.
  SoftMotion::State still;
  for (int f = 0; f < 10; ++f) motion.advance(still, jelly.at({0.125, 0, 0}), {}, f == 0 ? 0 : 0.03125);
  EXPECT_FALSE(still.moving);
  EXPECT_EQ(largest(still), 0);
}

TEST(SoftMotion, EnergyNeverGrowsWithoutForces) {
  const Jelly jelly;
  const std::vector<Vec3> gravity(jelly.tets.positions.size(), Vec3(0, 0, -9.81));
  for (const double dt_s : {1.0 / 24, 1.0 / 30, 1.0 / 60, 1.0 / 480, 0.3, 2.0})
    for (const bool falls : {false, true}) {
      const auto frames = jelly.play(dt_s, std::max(2.0, 20 * dt_s), falls ? gravity : std::vector<Vec3>());
      // The speed of the targets is zero one frame after they stop.
      const auto first = static_cast<std::size_t>(std::ceil(0.5 / dt_s)) + 2;
      double most = 0;
      for (const auto& frame : frames) most = std::max(most, frame.energy);
      // In long frames everything has come to rest at their end.
      if (dt_s < 0.1) {
        EXPECT_GT(most, 0) << dt_s;
      }
      for (std::size_t f = first; f < frames.size(); ++f)
        EXPECT_LE(frames[f].energy, frames[f - 1].energy)
            << "frame " << f << " at " << dt_s << (falls ? ", falling" : "");
      for (const auto& frame : frames)
        for (const Vec3f& d : frame.shown) ASSERT_TRUE(d.allFinite());
    }
}

TEST(SoftMotion, ComesToRestExactly) {
  const auto frames = Jelly().play(1.0 / 30, 5);
  EXPECT_GT(largest(frames[10]), 0.005F);
  EXPECT_EQ(largest(frames.back()), 0);
  EXPECT_FALSE(frames.back().moving);
}

TEST(SoftMotion, ANodeAloneSwingsAtItsRate) {
  SoftBody body;
  body.mass = {1}, body.hold = {20}, body.damping = {0.05}, body.farthest = {1};
  const SoftMotion motion(body);
  SoftMotion::State state;
  std::vector<Vec3> target = {Vec3::Zero()};
  motion.advance(state, target, {}, 0);
  std::vector<double> crossings;
  float before = 0;
  for (int f = 1; f < 240; ++f) {
    target[0].x() = f == 1 ? 0.0 : 0.1;  // It moves once, and stops.
    motion.advance(state, target, {}, 1.0 / 120);
    const float now = state.shown[0].x();
    if (before < 0 && now >= 0) crossings.push_back(f / 120.0);
    before = now;
  }
  ASSERT_GE(crossings.size(), 2U);
  EXPECT_NEAR(crossings[1] - crossings[0], 2 * kPi / 20, 0.02);
}

TEST(SoftMotion, HangsWhereGravityAndItsHoldAreEqual) {
  SoftBody body;
  body.mass = {2}, body.hold = {20}, body.damping = {0.5}, body.farthest = {10};
  const SoftMotion motion(body);
  SoftMotion::State state;
  const std::vector<Vec3> target = {Vec3(3, 4, 5)}, gravity = {Vec3(0, -9.81, 0)};
  for (int f = 0; f < 200; ++f) motion.advance(state, target, gravity, f == 0 ? 0 : 1.0 / 30);
  EXPECT_NEAR(state.shown[0].y(), -9.81 / 400, 1e-4);
}

TEST(SoftMotion, FrameRatesGiveTheSameMotion) {
  const Jelly jelly;
  const auto slow = jelly.play(1.0 / 60, 0.45), fast = jelly.play(1.0 / 240, 0.45);
  double difference = 0, all = 0;
  for (std::size_t f = 6; f < slow.size(); ++f)
    for (std::size_t i = 0; i < slow[f].shown.size(); ++i) {
      difference += static_cast<double>((slow[f].shown[i] - fast[4 * f].shown[i]).squaredNorm());
      all += static_cast<double>(fast[4 * f].shown[i].squaredNorm());
    }
  EXPECT_LT(std::sqrt(difference / all), 0.25);
}

TEST(SoftMotion, VolumesAreKeptWhileItSwings) {
  Jelly jelly;
  const auto volume_error = [&](const SoftMotion::State& state) {
    double error = 0, all = 0;
    for (Index t = 0; t < jelly.tets.tets.size(); ++t) {
      TetMesh moved = jelly.tets;
      const auto corner = [&](std::size_t c) {
        return Vec3(state.targets[moved.tets[t][c]] + state.shown[moved.tets[t][c]].cast<double>());
      };
      const Vec3 a = corner(0);
      const double volume = (corner(1) - a).dot((corner(2) - a).cross(corner(3) - a)) / 6;
      error += std::abs(volume - geometry::tet_volume(jelly.tets, t)), all += geometry::tet_volume(jelly.tets, t);
      if (t > 200) break;
    }
    return error / all;
  };
  const double kept = volume_error(jelly.play(1.0 / 30, 0.3).back());
  jelly.body.volume_stiffness.assign(jelly.body.volume_stiffness.size(), 0);
  EXPECT_LT(kept, 0.6 * volume_error(jelly.play(1.0 / 30, 0.3).back()));
}

TEST(SoftMotion, SameBytesForAnyNumberOfThreadsAndEveryReplay) {
  const Jelly jelly;
  const auto play = [&](int threads) {
    const test::Threads used(threads);
    return jelly.play(1.0 / 24, 1);
  };
  const auto one = play(1), two = play(2);
  for (std::size_t f = 0; f < one.size(); ++f) {
    EXPECT_TRUE(same(one[f].shown, two[f].shown)) << f;
    EXPECT_EQ(one[f].energy, two[f].energy) << f;
  }
}

TEST(SoftMotion, AJumpAResetAndAStepOfNoTimeBringNothing) {
  const Jelly jelly;
  const SoftMotion motion(jelly.body);
  SoftMotion::State state = jelly.play(1.0 / 30, 0.3).back();
  ASSERT_GT(largest(state), 0.001F);
  SoftMotion::State jumped = state, stopped = state, again = state;
  motion.advance(jumped, jelly.at({100, 0, 0}), {}, 1.0 / 30);
  EXPECT_LT(largest(jumped), 1e-5F);
  motion.advance(stopped, jelly.at(Vec3::Zero()), {}, 0);
  EXPECT_EQ(largest(stopped), 0);
  SoftMotion::reset(again);
  motion.advance(again, jelly.at(Vec3::Zero()), {}, 1.0 / 30);
  EXPECT_EQ(largest(again), 0);
  // Frames that are too short wait, and lose no time.
  SoftMotion::State waits = state, at_once = state;
  for (int k = 0; k < 10; ++k) motion.advance(waits, jelly.at({0.001 * k, 0, 0}), {}, 2e-4);
  motion.advance(at_once, jelly.at({0.004, 0, 0}), {}, 1e-3);
  motion.advance(at_once, jelly.at({0.009, 0, 0}), {}, 1e-3);
  for (std::size_t i = 0; i < waits.shown.size(); ++i) EXPECT_LT((waits.shown[i] - at_once.shown[i]).norm(), 1e-4F);
}

}  // namespace
}  // namespace sinew::deform
