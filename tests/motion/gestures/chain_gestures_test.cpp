// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/gestures/chain_gestures.h"

#include <gtest/gtest.h>

#include "sinew/core/character.h"
#include "sinew/core/pose.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/sample.h"
#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

using Places = std::vector<test::Place>;

Places spider(int pairs) {
  Places places = {{"Body", -1, {0, 0.3, 0}}, {"Head", 0, {0, 0.3, 0.2}}, {"Abdomen1", 0, {0, 0.3, -0.2}}};
  for (const double side : {1.0, -1.0})
    for (int k = 1; k <= pairs; ++k) {
      const std::string leg = std::string(side > 0 ? "Left" : "Right") + "Leg" + std::to_string(k);
      const double z = 0.2 - 0.1 * k;
      places.push_back({leg + "_1", 0, {0.1 * side, 0.3, z}});
      places.push_back({leg + "_2", static_cast<int>(places.size()) - 1, {0.3 * side, 0.4, z}});
      places.push_back({leg + "_3", static_cast<int>(places.size()) - 1, {0.5 * side, 0.1, z}});
    }
  return places;
}

Places fish(bool neck) {
  Places places = {{"Body", -1, {0, 0, 0}}, {"Spine", 0, {0, 0, 0.2}}};
  if (neck) places.push_back({"Neck", 1, {0, 0, 0.3}});
  places.push_back({"Head", static_cast<int>(places.size()) - 1, {0, 0, 0.4}});
  int parent = 0;
  for (int k = 1; k <= 3; ++k) {
    places.push_back({"Tail" + std::to_string(k), parent, {0, 0, -0.2 * k}});
    parent = static_cast<int>(places.size()) - 1;
  }
  return places;
}

TEST(ChainGestures, BodiesWithoutATrunkOfFourLimbsHaveOneClip) {
  EXPECT_EQ(fitting_clip(test::skeleton_at(spider(3))), "walk");
  EXPECT_EQ(fitting_clip(test::skeleton_at(spider(4))), "walk");
  EXPECT_EQ(fitting_clip(test::skeleton_at(fish(false))), "swim");
  EXPECT_EQ(fitting_clip(test::skeleton_at(fish(true))), "slither");
  EXPECT_EQ(chain_clip_name(test::skeleton_at(spider(2))), "");
}

TEST(ChainGestures, ClipsAreLoopsThatMoveTheBody) {
  for (const Places& places : {spider(4), fish(false), fish(true)}) {
    Rig rig;
    rig.skeleton = test::skeleton_at(places);
    const Clip clip = chain_clip(rig.skeleton);
    EXPECT_TRUE(validate(clip, rig.skeleton.size(), 0).empty());
    double moved = 0;
    for (const Track& track : clip.tracks) {
      const std::size_t count = track.values.size();
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(track.values[i], track.values[count - 4 + i], 1e-5);
      for (std::size_t i = 0; i < count; ++i)
        moved = std::max<double>(moved, std::abs(track.values[i] - track.values[i % 4]));
    }
    EXPECT_GT(moved, 0.05);
  }
}

TEST(ChainGestures, NeighbouringLegsAreNotRaisedTogether) {
  Rig rig;
  rig.skeleton = test::skeleton_at(spider(4));
  const Clip clip = chain_clip(rig.skeleton);
  const auto height = [&](const char* name, double time_s) {
    const std::vector<Mat4> model = model_matrices(rig.skeleton, sample(rig, clip, time_s).local);
    return model[rig.skeleton.find(name)](1, 3);
  };
  for (const double time_s : {0.2, 0.6}) {
    const bool first = height("LeftLeg1_3", time_s) > 0.12, second = height("LeftLeg2_3", time_s) > 0.12;
    EXPECT_NE(first, second) << time_s;
    EXPECT_NE(first, height("RightLeg1_3", time_s) > 0.12) << time_s;
  }
}

}  // namespace
}  // namespace sinew::motion
