// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sinew::motion {
namespace {

using Path = Track::Path;
using Interpolation = Track::Interpolation;

Rig two_joints() {
  Rig rig;
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[1].parent = 0;
  rig.skeleton.joints[1].rest.translation = {0, 1, 0};
  rig.mesh.parts.resize(1);
  rig.mesh.parts[0].morphs.resize(2);
  rig.mesh.parts[0].morph_weights = {0.5, 0.75};
  return rig;
}

Clip clip_of(Path path, Interpolation interpolation, std::vector<float> times, std::vector<float> values) {
  Track track;
  track.path = path;
  track.target = path == Path::kMorphWeights ? 0 : 1;
  track.interpolation = interpolation;
  track.times_s = std::move(times);
  track.values = std::move(values);
  return {"clip", {track}};
}

Vec3 place(const Clip& clip, double time_s) { return sample(two_joints(), clip, time_s).local[1].translation; }

TEST(Sample, LinearTranslationRunsStraight) {
  const Clip clip = clip_of(Path::kTranslation, Interpolation::kLinear, {1, 3}, {0, 0, 0, 2, 4, -8});
  EXPECT_TRUE(place(clip, 1.5).isApprox(Vec3(0.5, 1, -2)));
  EXPECT_EQ(place(clip, 1), Vec3(0, 0, 0));
  EXPECT_EQ(place(clip, 3), Vec3(2, 4, -8));
}

TEST(Sample, OutsideItsKeysATrackKeepsTheNearestOne) {
  for (const Interpolation kind : {Interpolation::kStep, Interpolation::kLinear}) {
    const Clip clip = clip_of(Path::kTranslation, kind, {1, 3}, {1, 1, 1, 2, 4, -8});
    EXPECT_EQ(place(clip, -5), Vec3(1, 1, 1));
    EXPECT_EQ(place(clip, 0.99), Vec3(1, 1, 1));
    EXPECT_EQ(place(clip, 99), Vec3(2, 4, -8));
  }
  const Clip cubic = clip_of(Path::kTranslation, Interpolation::kCubic, {1, 3},
                             {9, 9, 9, 1, 1, 1, 7, 7, 7, 5, 5, 5, 2, 4, -8, 3, 3, 3});
  EXPECT_EQ(place(cubic, 0), Vec3(1, 1, 1));
  EXPECT_EQ(place(cubic, 99), Vec3(2, 4, -8));
}

TEST(Sample, StepsChangeAtTheKey) {
  const Clip clip = clip_of(Path::kScale, Interpolation::kStep, {0, 1, 2}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
  const auto scale = [&](double t) { return sample(two_joints(), clip, t).local[1].scale.x(); };
  EXPECT_EQ(scale(0.999), 1);
  EXPECT_EQ(scale(1), 2);
  EXPECT_EQ(scale(1.999), 2);
  EXPECT_EQ(scale(2), 3);
}

// A cubic that the Hermite form must give back exactly: p(t) = t³ − 2t + 1 on keys that are not evenly spaced.
TEST(Sample, CubicGivesBackACubic) {
  const auto p = [](double t) { return t * t * t - 2 * t + 1; };
  const auto slope = [](double t) { return 3 * t * t - 2; };
  std::vector<float> values;
  const std::vector<float> times = {0, 0.5F, 2};
  for (const float t : times) {
    const auto v = static_cast<float>(p(static_cast<double>(t))), m = static_cast<float>(slope(static_cast<double>(t)));
    values.insert(values.end(), {m, m, m, v, v, v, m, m, m});
  }
  const Clip clip = clip_of(Path::kTranslation, Interpolation::kCubic, times, values);
  for (double t = 0; t <= 2; t += 0.05) EXPECT_NEAR(place(clip, t).x(), p(t), 1e-6) << t;
}

TEST(Sample, RotationsTakeTheShortWayAtConstantSpeed) {
  const double angle = 2.0;
  const auto s = static_cast<float>(std::sin(angle / 2)), c = static_cast<float>(std::cos(angle / 2));
  for (const float sign : {1.0F, -1.0F}) {  // q and −q are the same rotation.
    const Clip clip = clip_of(Path::kRotation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0, sign * s, 0, sign * c});
    for (double t = 0; t <= 1; t += 0.125) {
      const Quat q = sample(two_joints(), clip, t).local[1].rotation;
      EXPECT_LT(q.angularDistance(Quat(Eigen::AngleAxisd(t * angle, Vec3::UnitY()))), 1e-6) << t;
      EXPECT_NEAR(q.norm(), 1, 1e-12);
    }
  }
}

TEST(Sample, RotationsComeOutUnitLengthWhateverTheFileSays) {
  const Clip linear = clip_of(Path::kRotation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 3, 0, 2, 0, 0});
  const Clip step = clip_of(Path::kRotation, Interpolation::kStep, {0}, {0, 0, 0, 0});
  const Clip cubic = clip_of(Path::kRotation, Interpolation::kCubic, {0, 1},
                             {0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 0, 1, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0});
  for (double t = 0; t <= 1; t += 0.25)
    for (const Clip* clip : {&linear, &step, &cubic})
      EXPECT_NEAR(sample(two_joints(), *clip, t).local[1].rotation.norm(), 1, 1e-12);
}

TEST(Sample, MorphWeightsMoveWithTheirPart) {
  const Clip clip = clip_of(Path::kMorphWeights, Interpolation::kLinear, {0, 1}, {0, 1, 1, 0});
  const auto weights = sample(two_joints(), clip, 0.25).morph_weights[0];
  EXPECT_NEAR(weights[0], 0.25, 1e-12);
  EXPECT_NEAR(weights[1], 0.75, 1e-12);
}

TEST(Sample, CubicMorphWeightsOfOneKeyAreThatKey) {
  const Clip clip = clip_of(Path::kMorphWeights, Interpolation::kCubic, {0}, {9, 9, 0.25F, 0.5F, 9, 9});
  EXPECT_EQ(sample(two_joints(), clip, 3).morph_weights[0], (std::vector<double>{0.25, 0.5}));
}

TEST(Sample, WhatNoTrackMovesStaysAtRest) {
  const Clip clip = clip_of(Path::kScale, Interpolation::kLinear, {0, 1}, {1, 1, 1, 2, 2, 2});
  const Pose pose = sample(two_joints(), clip, 0.5);
  EXPECT_EQ(pose.local[0], Transform());
  EXPECT_EQ(pose.local[1].translation, Vec3(0, 1, 0));
  EXPECT_EQ(pose.morph_weights[0], (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(sample(two_joints(), Clip(), 1).local[1].translation, Vec3(0, 1, 0));
}

}  // namespace
}  // namespace sinew::motion
