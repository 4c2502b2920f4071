// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/bake_drivers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/player.h"
#include "sinew/motion/sample.h"
#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

constexpr Index kHand = 2, kFirstHelper = 3;

// Upper (0) – Fore (1) – Hand (2), and a helper below the upper arm for each driver, all with axes of their own.
Rig arm_with(const std::vector<Driver>& drivers) {
  std::vector<test::Place> places = {{"Upper", -1, {0, 0, 0}}, {"Fore", 0, {1, 0, 0}}, {"Hand", 1, {2, 0, 0}}};
  for (std::size_t i = 0; i < drivers.size(); ++i)
    places.push_back({"Helper" + std::to_string(i), 0, {1.5, 0.1 * static_cast<double>(i), 0.2}});
  Rig rig;
  rig.skeleton = test::skeleton_at(places, 17);
  for (std::size_t i = 0; i < drivers.size(); ++i) rig.skeleton.joints[kFirstHelper + i].driver = drivers[i];
  return rig;
}

Driver driver_of(Driver::Kind kind) {
  Driver driver;
  driver.kind = kind;
  driver.source = kHand;
  driver.axis = Vec3(0.1, 1, 0.2).normalized();
  driver.keys = {{-1, 0.4}, {0, 0}, {0.5, 1}, {2, 1.3}};
  for (int i = 0; i < 9; ++i) driver.coefficients.push_back({0, 0.1, 0.05 * i, -0.1, 0.02, 0, 0.03, 0.01 * i, 0, 0});
  return driver;
}

void add_rotation(Track& track, float time_s, const Quat& q) {
  track.times_s.push_back(time_s);
  for (int c = 0; c < 4; ++c) track.values.push_back(static_cast<float>(q.coeffs()[c]));
}

// Hand and forearm go through random poses.
Clip random_clip(const Rig& rig, unsigned seed, Track::Interpolation interpolation, double reach = 1.2) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> number(-reach, reach);
  Clip clip;
  for (const Index joint : {Index{1}, kHand}) {
    Track track;
    track.path = Track::Path::kRotation;
    track.target = joint;
    track.interpolation = interpolation;
    for (int k = 0; k < 9; ++k)
      add_rotation(track, 0.1F + 0.31F * static_cast<float>(k) + 0.07F * static_cast<float>(joint),
                   rig.skeleton.joints[joint].rest.rotation * rotation_exp({number(rng), number(rng), number(rng)}));
    clip.tracks.push_back(track);
  }
  return clip;
}

struct BakeError {
  double rotation = 0, translation = 0, scale = 0;
};

// How far a baked clip, played without drivers, is from the clip played with them.
BakeError worst_error(const Rig& rig, const Clip& clip, const Clip& baked, int samples = 3001) {
  const Player player(rig, clip);
  const Drivers drivers(rig.skeleton);
  BakeError worst;
  for (int s = 0; s < samples; ++s) {
    const double time = (clip.duration_s() + 0.0871) * s / (samples - 1.0);
    Pose wanted = player.at(time);
    drivers.apply(wanted);
    const Pose got = sample(rig, baked, time);
    for (Index j = 0; j < rig.skeleton.size(); ++j) {
      worst.rotation =
          std::max(worst.rotation, rotation_log(wanted.local[j].rotation.conjugate() * got.local[j].rotation).norm());
      worst.translation = std::max(worst.translation, (wanted.local[j].translation - got.local[j].translation).norm());
      worst.scale = std::max(
          worst.scale, (got.local[j].scale.cwiseQuotient(wanted.local[j].scale) - Vec3::Ones()).cwiseAbs().maxCoeff());
    }
  }
  return worst;
}

double longest_step(const Clip& clip, std::size_t first) {
  double longest = 0;
  for (std::size_t t = first; t < clip.tracks.size(); ++t) {
    const Track& track = clip.tracks[t];
    if (track.path != Track::Path::kRotation) continue;
    for (std::size_t k = 1; k < track.times_s.size(); ++k) {
      const Eigen::Map<const Eigen::Quaternionf> a(track.values.data() + 4 * k - 4), b(track.values.data() + 4 * k);
      EXPECT_GE(a.dot(b), 0);
      longest = std::max(longest, static_cast<double>(a.angularDistance(b)));
    }
  }
  return longest;
}

TEST(BakeDrivers, EveryKindStaysWithinTheTolerance) {
  const Rig rig = arm_with({driver_of(Driver::Kind::kTwistShare), driver_of(Driver::Kind::kAim),
                            driver_of(Driver::Kind::kPolynomial), driver_of(Driver::Kind::kDrivenKeys),
                            driver_of(Driver::Kind::kRotationShare)});
  for (const auto interpolation : {Track::Interpolation::kLinear, Track::Interpolation::kStep}) {
    const Clip clip = random_clip(rig, 5, interpolation);
    Clip baked = clip;
    const std::size_t first = bake_drivers(rig, baked);
    ASSERT_EQ(first, 2u);
    EXPECT_TRUE(validate(baked, rig.skeleton.size(), 0).empty());
    const BakeError error = worst_error(rig, clip, baked);
    EXPECT_LT(error.rotation, 1.01e-4);
    EXPECT_LT(error.translation, 1.01e-5 * 2.1);
    EXPECT_LT(error.scale, 1.01e-5);
    // One track of rotation each, and translation and scale for the polynomial.
    EXPECT_EQ(baked.tracks.size(), first + 7);
    if (interpolation == Track::Interpolation::kLinear) {
      EXPECT_LT(longest_step(baked, first), 1.06);
    }
  }
}

TEST(BakeDrivers, AStepIsOverBetweenTwoNeighbouringTimes) {
  const Rig rig = arm_with({driver_of(Driver::Kind::kRotationShare)});
  const Clip clip = random_clip(rig, 8, Track::Interpolation::kStep);
  Clip baked = clip;
  bake_drivers(rig, baked);
  const Player player(rig, clip);
  const Drivers drivers(rig.skeleton);
  for (const Track& track : clip.tracks)
    for (const float key : track.times_s)
      for (const float time : {std::nextafter(key, -1.0F), key}) {
        Pose wanted = player.at(static_cast<double>(time));
        drivers.apply(wanted);
        const Pose got = sample(rig, baked, static_cast<double>(time));
        EXPECT_LT(rotation_log(wanted.local[3].rotation.conjugate() * got.local[3].rotation).norm(), 1e-4) << time;
      }
  // Two keys for each but the first, for the hand alone drives.
  EXPECT_LE(baked.tracks.back().times_s.size(), 2 * clip.tracks[1].times_s.size() - 1);
}

TEST(BakeDrivers, ALooserToleranceNeedsFewerKeys) {
  const Rig rig = arm_with({driver_of(Driver::Kind::kRotationShare)});
  const Clip clip = random_clip(rig, 6, Track::Interpolation::kLinear);
  Clip fine = clip, coarse = clip;
  BakeTolerance tolerance;
  tolerance.rotation_rad = 0.02;
  bake_drivers(rig, fine);
  bake_drivers(rig, coarse, 30, tolerance);
  EXPECT_LT(2 * coarse.tracks.back().times_s.size(), fine.tracks.back().times_s.size());
  EXPECT_LT(worst_error(rig, clip, coarse).rotation, 0.021);
}

TEST(BakeDrivers, ThreeFullTurnsAreNotTakenTheShortWayRound) {
  Rig rig = arm_with({driver_of(Driver::Kind::kTwistShare), driver_of(Driver::Kind::kTwistShare)});
  const Vec3 axis = bone_axis(rig.skeleton, kHand);
  rig.skeleton.joints[3].driver->axis = rig.skeleton.joints[4].driver->axis = axis;
  rig.skeleton.joints[4].driver->share = 0.8;
  Clip clip;
  Track track;
  track.path = Track::Path::kRotation;
  track.target = kHand;
  // A third of a turn each 0.1 s.
  for (int k = 0; k <= 9; ++k)
    add_rotation(track, 0.1F * static_cast<float>(k),
                 rig.skeleton.joints[kHand].rest.rotation * Quat(Eigen::AngleAxisd(k * kTwoPi / 3, axis)));
  clip.tracks.push_back(track);
  for (const double fps : {30.0, 1.0}) {
    Clip baked = clip;
    const std::size_t first = bake_drivers(rig, baked, fps);
    EXPECT_LT(worst_error(rig, clip, baked).rotation, 1.01e-4) << fps;
    EXPECT_LT(longest_step(baked, first), kPi / 3 + 1e-4) << fps;
    // Followed from key to key the second helper turns by 0.8 times three turns.
    const Track& turning = baked.tracks.back();
    double turned = 0;
    for (std::size_t k = 1; k < turning.times_s.size(); ++k)
      turned += static_cast<double>(
          Eigen::Map<const Eigen::Quaternionf>(turning.values.data() + 4 * k - 4)
              .angularDistance(Eigen::Map<const Eigen::Quaternionf>(turning.values.data() + 4 * k)));
    EXPECT_NEAR(turned, 0.8 * 6 * kPi, 0.01) << fps;
  }
}

TEST(BakeDrivers, TracksOfDrivenJointsAreReplacedAndOthersStay) {
  const Rig rig = arm_with({driver_of(Driver::Kind::kTwistShare), driver_of(Driver::Kind::kOpaque)});
  Clip clip = random_clip(rig, 7, Track::Interpolation::kLinear);
  const std::vector<Track> others = clip.tracks;
  Track moved;
  moved.target = kFirstHelper;
  moved.times_s = {0, 1};
  moved.values = {0, 0, 0, 5, 5, 5};
  clip.tracks.insert(clip.tracks.begin(), moved);
  moved.target = kFirstHelper + 1;  // Its driver is of an unknown kind.
  clip.tracks.push_back(moved);
  Clip baked = clip;
  EXPECT_EQ(bake_drivers(rig, baked), 3u);
  for (std::size_t t = 0; t < 2; ++t) EXPECT_EQ(baked.tracks[t].values, others[t].values);
  EXPECT_EQ(baked.tracks[2].target, kFirstHelper + 1);
  ASSERT_EQ(baked.tracks.size(), 5u);
  // It had a track of translation, so it has one that keeps it at rest.
  EXPECT_EQ(baked.tracks[3].path, Track::Path::kTranslation);
  EXPECT_EQ(baked.tracks[3].times_s.size(), 1u);
  const Vec3 rest = rig.skeleton.joints[kFirstHelper].rest.translation;
  EXPECT_LT((sample(rig, baked, 0.7).local[kFirstHelper].translation - rest).norm(), 1e-6);
  EXPECT_EQ(baked.tracks[4].path, Track::Path::kRotation);
}

TEST(BakeDrivers, BakingAgainChangesNothing) {
  const Rig rig = arm_with({driver_of(Driver::Kind::kPolynomial), driver_of(Driver::Kind::kAim)});
  Clip once = random_clip(rig, 9, Track::Interpolation::kLinear);
  const std::size_t first = bake_drivers(rig, once);
  Clip twice = once;
  EXPECT_EQ(bake_drivers(rig, twice), first);
  ASSERT_EQ(twice.tracks.size(), once.tracks.size());
  for (std::size_t t = 0; t < once.tracks.size(); ++t) {
    EXPECT_EQ(twice.tracks[t].times_s, once.tracks[t].times_s);
    EXPECT_EQ(twice.tracks[t].values, once.tracks[t].values);
  }
}

TEST(BakeDrivers, WithoutDriversOrTracksNothingHappens) {
  const Rig plain = arm_with({});
  Clip clip = random_clip(plain, 3, Track::Interpolation::kLinear);
  EXPECT_EQ(bake_drivers(plain, clip), 2u);
  EXPECT_EQ(clip.tracks.size(), 2u);
  Clip empty;
  EXPECT_EQ(bake_drivers(arm_with({driver_of(Driver::Kind::kAim)}), empty), 0u);
  EXPECT_TRUE(empty.tracks.empty());
}

}  // namespace
}  // namespace sinew::motion
