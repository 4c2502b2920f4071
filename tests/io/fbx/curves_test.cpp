// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/curves.h"

#include <gtest/gtest.h>

#include <bit>

#include "sinew/core/angles.h"
#include "sinew/io/asset.h"
#include "sinew/io/fbx/import.h"
#include "tests/support/fbx_writer.h"

namespace sinew::io::fbx {
namespace {

constexpr std::int32_t kCubicUser = 0x8 | 0x400, kCubicAuto = 0x8 | 0x100;

// The curve as the reader sees it.
class MadeCurve {
 public:
  MadeCurve(const std::vector<double>& times, const std::vector<float>& values, std::int32_t flags,
            const std::vector<float>& data = {0, 0, 0, 0}) {
    test::FbxFile file;
    file.objects.add(test::fbx_curve(1, times, values, flags, data));
    bytes_ = file.bytes();
    root_ = parse_records(bytes_);
    Arrays arrays;
    curve = read_curve(root_.find("Objects")->children.front(), arrays, dropped);
  }
  Curve curve;
  std::uint64_t dropped = 0;

 private:
  Bytes bytes_;
  Record root_;
};

TEST(FbxCurve, HoldsItsEndsAndIsLinearOrConstantAsStated) {
  const Curve line = MadeCurve({1, 3}, {10, 20}, 0x4).curve;
  EXPECT_EQ(line.at(0), 10);
  EXPECT_NEAR(line.at(1.5), 12.5, 1e-9);
  EXPECT_EQ(line.at(9), 20);
  EXPECT_EQ(MadeCurve({1, 3}, {10, 20}, 0x2).curve.at(2.9), 10);
  EXPECT_EQ(MadeCurve({1, 3}, {10, 20}, 0x2 | 0x100).curve.at(1.1), 20);
}

TEST(FbxCurve, ACubicOfUserSlopesIsTheHermiteCurve) {
  const float out = 4, in = -2;
  const Curve curve = MadeCurve({0, 2}, {1, 3}, kCubicUser, {out, in, 0, 0}).curve;
  for (const double t : {0.25, 0.5, 0.75}) {
    const double h00 = 2 * t * t * t - 3 * t * t + 1, h10 = t * t * t - 2 * t * t + t;
    const double h01 = -2 * t * t * t + 3 * t * t, h11 = t * t * t - t * t;
    EXPECT_NEAR(curve.at(2 * t), h00 * 1 + h10 * 2 * 4 + h01 * 3 + h11 * 2 * -2, 1e-9) << t;
  }
}

TEST(FbxCurve, AutomaticSlopesPassTheKeysSmoothly) {
  const Curve curve = MadeCurve({0, 1, 2}, {0, 1, 4}, kCubicAuto).curve;
  EXPECT_NEAR(curve.at(1), 1, 1e-9);
  const double step = 1e-5;
  const double before = (curve.at(1) - curve.at(1 - step)) / step, after = (curve.at(1 + step) - curve.at(1)) / step;
  EXPECT_NEAR(before, 2, 1e-3);  // (4 − 0) / 2 s.
  EXPECT_NEAR(after, 2, 1e-3);
}

TEST(FbxCurve, ClampedAutomaticSlopesDoNotOvershoot) {
  const Curve curve = MadeCurve({0, 1, 2, 3}, {0, 1, 1, 0}, kCubicAuto | 0x1000).curve;
  for (double t = 0; t <= 3; t += 0.01) EXPECT_LE(curve.at(t), 1 + 1e-9) << t;
  const Curve peak = MadeCurve({0, 1, 2}, {0, 1, 0.5}, kCubicAuto | 0x1000).curve;
  for (double t = 0; t <= 2; t += 0.01) EXPECT_LE(peak.at(t), 1 + 1e-9) << t;
}

TEST(FbxCurve, LongTangentsBendTheCurveTowardsThem) {
  // Lengths of 0.9 and 0.1 of the segment, in units of 1/9999 in two halves of a number.
  const std::uint32_t lengths = 8999U | (1000U << 16U);
  const std::vector<float> data = {0, 0, std::bit_cast<float>(lengths), 0};
  const Curve curve = MadeCurve({0, 1}, {0, 1}, kCubicUser | 0x03000000, data).curve;
  // The flat start reaches far: by the parameter u, time is 2.7u(1−u)² + 2.7u²(1−u) + u³ and the value 3u² − 2u³.
  const double u = 0.3, time = 3 * u * (1 - u) * (1 - u) * 0.9 + 3 * u * u * (1 - u) * 0.9 + u * u * u;
  EXPECT_NEAR(curve.at(time), 3 * u * u - 2 * u * u * u, 2e-4);
  EXPECT_LT(curve.at(0.5), 0.3);
}

TEST(FbxCurve, KeysThatGoBackAreLeftOut) {
  const MadeCurve made({0, 2, 1, 3}, {0, 2, 100, 3}, 0x4);
  EXPECT_EQ(made.dropped, 1U);
  EXPECT_NEAR(made.curve.at(2.5), 2.5, 1e-9);
}

TEST(FbxCurve, CubicCurvesBecomeLinearKeysWithinTheTolerance) {
  test::FbxFile file = test::make_fbx_strip();
  file.objects.remove("AnimationCurve");
  file.objects.add(test::fbx_curve(test::kStripRotationCurve, {0, 1}, {0, 90}, kCubicUser, {300, -200, 0, 0}));
  const Asset asset = load_bytes("made.fbx", file.bytes());
  const Curve exact = MadeCurve({0, 1}, {0, 90}, kCubicUser, {300, -200, 0, 0}).curve;
  const Track& track = asset.character.clips.at(0).tracks.at(0);
  ASSERT_EQ(track.path, Track::Path::kRotation);
  EXPECT_GT(track.times_s.size(), 8U);
  double worst = 0;
  for (std::size_t k = 0; k + 1 < track.times_s.size(); ++k)
    for (const double share : {0.0, 0.5}) {
      const auto key = [&](std::size_t at) {
        const float* v = track.values.data() + 4 * at;
        return Quat(static_cast<double>(v[3]), static_cast<double>(v[0]), static_cast<double>(v[1]),
                    static_cast<double>(v[2]));
      };
      const double a = static_cast<double>(track.times_s[k]), b = static_cast<double>(track.times_s[k + 1]);
      const Quat mine = slerp(key(k), key(k + 1), share);
      const Quat theirs(Eigen::AngleAxisd(radians(exact.at(a + share * (b - a))), Vec3::UnitZ()));
      worst = std::max(worst, mine.angularDistance(theirs));
    }
  EXPECT_LT(worst, 5.1e-4);
}

TEST(FbxShapes, InBetweensShareTheWeight) {
  using Weights = std::vector<double>;
  EXPECT_EQ(channel_weights({100}, 50), (Weights{0.5}));
  EXPECT_EQ(channel_weights({50, 100}, 25), (Weights{0.5, 0}));
  EXPECT_EQ(channel_weights({50, 100}, 62.5), (Weights{0.75, 0.25}));
  EXPECT_EQ(channel_weights({50, 100}, 100), (Weights{0, 1}));
  EXPECT_EQ(channel_weights({50, 100}, 150), (Weights{0, 1.5}));
}

}  // namespace
}  // namespace sinew::io::fbx
