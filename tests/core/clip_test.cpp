// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/clip.h"

#include <gtest/gtest.h>

#include "tests/core/harm.h"

namespace sinew {
namespace {

Clip healthy_clip() {
  Track turn;
  turn.path = Track::Path::kRotation;
  turn.target = 1;
  turn.times_s = {0.5F, 2};
  turn.values = {0, 0, 0, 1, 0, 0, 0, 1};
  Track smile;
  smile.path = Track::Path::kMorphWeights;
  smile.target = 0;
  smile.interpolation = Track::Interpolation::kCubic;
  smile.times_s = {0, 1};
  smile.values.assign(2 * 3 * 5, 0.0F);
  return {"walk", {turn, smile}};
}

using ClipHarm = test::Harm<Clip>;

class ClipValidate : public testing::TestWithParam<ClipHarm> {};

TEST_P(ClipValidate, FindsWhatIsWrong) {
  Clip clip = healthy_clip();
  ASSERT_TRUE(validate(clip, 2, 1).empty());
  GetParam().damage(clip);
  const Findings found = validate(clip, 2, 1);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().code, GetParam().code);
}

constexpr auto kNanKey = static_cast<float>(test::kNan);

INSTANTIATE_TEST_SUITE_P(
    Each, ClipValidate,
    testing::Values(ClipHarm{"clip.target", [](Clip& c) { c.tracks[0].target = 2; }},
                    ClipHarm{"clip.target", [](Clip& c) { c.tracks[0].target = kNone; }},
                    ClipHarm{"clip.target", [](Clip& c) { c.tracks[1].target = 1; }},
                    ClipHarm{"clip.keys", [](Clip& c) { c.tracks[0].times_s.clear(), c.tracks[0].values.clear(); }},
                    ClipHarm{"clip.times",
                             [](Clip& c) {
                               c.tracks[0].times_s = {2, 2};
                             }},
                    ClipHarm{"clip.times",
                             [](Clip& c) {
                               c.tracks[0].times_s = {2, kNanKey};
                             }},
                    ClipHarm{"clip.values", [](Clip& c) { c.tracks[0].values[3] = kNanKey; }},
                    ClipHarm{"clip.count", [](Clip& c) { c.tracks[0].values.pop_back(); }},
                    ClipHarm{"clip.count", [](Clip& c) { c.tracks[1].values.pop_back(); }},
                    ClipHarm{"clip.count", [](Clip& c) { c.tracks[0].path = Track::Path::kScale; }}),
    test::HarmName());

TEST(Clip, LastsUntilItsLastKey) {
  EXPECT_DOUBLE_EQ(healthy_clip().duration_s(), 2);
  EXPECT_EQ(Clip().duration_s(), 0);
}

TEST(Track, WidthCountsTheNumbersOfOneValue) {
  EXPECT_EQ(healthy_clip().tracks[0].width(), 4u);
  EXPECT_EQ(healthy_clip().tracks[1].width(), 5u);
  EXPECT_EQ(Track().width(), 0u);
}

}  // namespace
}  // namespace sinew
