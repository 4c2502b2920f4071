// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/ode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/deform/blend/dqs.h"
#include "sinew/shapes/kinds.h"

namespace sinew::deform {
namespace {

const Rig& made_body() {
  static const Rig rig = [] {
    shapes::MakeOptions options;
    options.vertices = 2500;
    return shapes::make("human", options).made.character.rig;
  }();
  return rig;
}

/// The body moved by some distance along z.
ModelPose moved_body(double z) {
  ModelPose pose{rest_matrices(made_body().skeleton), {}, {}};
  for (Mat4& joint : pose.joints) joint(2, 3) += z;
  return pose;
}

struct Played {
  std::vector<double> lag;  // Per frame: mean displacement from dual-quaternion skinning along z.
  double most = 0;
};

template <class Path>
Played play(const OdeOptions& options, double fps, double seconds, Path&& path) {
  const Rig& rig = made_body();
  const auto ode = bind_ode(rig, options), base = bind_dqs(rig);
  const auto state = ode->make_state(), base_state = base->make_state();
  std::vector<Vec3f> a(rig.mesh.positions.size()), b(a);
  Played played;
  for (int f = 0; f <= static_cast<int>(seconds * fps + 0.5); ++f) {
    const ModelPose pose = moved_body(path(f / fps));
    ode->deform(*state, {pose, f / fps, f == 0 ? 0 : 1 / fps}, {a, {}, nullptr});
    base->deform(*base_state, {pose}, {b, {}, nullptr});
    double sum = 0;
    for (std::size_t v = 0; v < a.size(); ++v) {
      sum += a[v].z() - b[v].z();
      played.most = std::max<double>(played.most, (a[v] - b[v]).norm());
    }
    played.lag.push_back(sum / static_cast<double>(a.size()));
  }
  return played;
}

TEST(Ode, ABodyAtRestAndOneInEvenMotionHaveNoLag) {
  EXPECT_EQ(play({}, 30, 0.5, [](double) { return 0.0; }).most, 0);
  // The start of the motion is a jerk; its trace fades.
  const Played even = play({}, 30, 2, [](double t) { return t; });
  EXPECT_LT(std::abs(even.lag.back()), 1e-5);
}

TEST(Ode, SkinIsLeftBehindByAccelerationAndComesBack) {
  const auto push = [](double t) { return t < 0.5 ? 0.5 * 10 * t * t : 1.25 + 5 * (t - 0.5); };
  const Played played = play({}, 60, 2, push);
  const double least = *std::min_element(played.lag.begin(), played.lag.end());
  EXPECT_LT(least, -5e-4) << "forward motion leaves skin behind";
  EXPECT_LT(std::abs(played.lag.back()), 1e-5);
}

TEST(Ode, SofterMaterialsLagMoreAndNoInertiaIsTheBase) {
  const auto swing = [](double t) { return 0.1 * std::sin(12 * t); };
  OdeOptions fat, rubber, none;
  fat.material = SkinMaterial::kFat;
  rubber.material = SkinMaterial::kRubber;
  none.inertia = 0;
  const double skin = play({}, 60, 1, swing).most;
  EXPECT_GT(play(fat, 60, 1, swing).most, 1.5 * skin);
  EXPECT_LT(play(rubber, 60, 1, swing).most, 0.7 * skin);
  EXPECT_EQ(play(none, 60, 1, swing).most, 0);
}

TEST(Ode, FrameRatesAgreeAndAnyRateIsStable) {
  const auto swing = [](double t) { return 0.1 * std::sin(6 * t); };
  const double slow = play({}, 60, 1.5, swing).most, fast = play({}, 240, 1.5, swing).most;
  EXPECT_NEAR(slow / fast, 1, 0.2);
  const double limit = 0.03 * made_body().mesh.size();
  for (const double fps : {1.0, 5.0, 24.0, 1000.0})
    EXPECT_LE(play({}, fps, 2, [](double t) { return 3 * std::sin(40 * t); }).most, limit * 1.001) << fps;
}

TEST(Ode, AJumpLeavesNoTrace) {
  const Played jump = play({}, 30, 1, [](double t) { return t < 0.5 ? 0.0 : 30.0; });
  EXPECT_LT(jump.most, 1e-5);
}

}  // namespace
}  // namespace sinew::deform
