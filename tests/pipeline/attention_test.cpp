// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/rig_plans.h"

namespace sinew::pipeline {
namespace {

TEST(Attention, FindingsOfOneKindAreOneItemButJointsAreSeparate) {
  const Character human = test::made_human("a");
  const Findings findings = {{"texture.missing", "skin", "The texture 'a.png' is missing."},
                             {"texture.missing", "skin", "The texture 'b.png' is missing."},
                             {"rig.doubt", "LeftHand", "It is unsure."},
                             {"texture.missing", "hair", "The texture 'c.png' is missing."},
                             {"rig.doubt", "RightHand", "It is unsure."}};
  const std::vector<AttentionItem> items = attention(human, {}, findings, nullptr);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].text, "The texture 'a.png' is missing. And 2 more of this kind.");
  EXPECT_EQ(items[1].title, "LeftHand");
  EXPECT_EQ(items[2].title, "RightHand");
}

TEST(Attention, AFaultOfAClipNamesTheClipAndTheTimeInsteadOfAPlace) {
  Character human = test::made_human("a");
  Track track;
  track.path = Track::Path::kRotation;
  track.target = human.rig.skeleton.find("LeftUpperArm");
  ASSERT_NE(track.target, kNone);
  for (int k = 0; k < 30; ++k) {
    const double angle = k >= 15 ? 2.9 : 0;
    track.times_s.push_back(static_cast<float>(k / 30.0));
    for (const double x : {std::sin(angle / 2), 0.0, 0.0, std::cos(angle / 2)})
      track.values.push_back(static_cast<float>(x));
  }
  Clip clip{"wave", {}};
  clip.tracks.push_back(track);
  human.clips = {clip};
  const CheckResult checks = check(human, check_profile("game"));
  const std::vector<AttentionItem> items = attention(human, {}, {}, &checks);
  const auto jump =
      std::find_if(items.begin(), items.end(), [](const AttentionItem& item) { return item.id == "clips.jumps"; });
  ASSERT_NE(jump, items.end());
  EXPECT_EQ(jump->clip, "wave");
  EXPECT_NEAR(jump->time_s, 14.0 / 30, 0.05);
  EXPECT_EQ(jump->joint, track.target);
  EXPECT_FALSE(jump->place.has_value()) << "the joint is elsewhere in the bind pose";
}

TEST(Attention, AFileThatIsMissingIsMendedByGivingIt) {
  const Character human = test::made_human("a");
  const auto items = attention(human, {}, {{"obj.missing_material_file", "a.obj", "The library is missing."}}, nullptr);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(tool_name(items[0].tool), "files");
}

}  // namespace
}  // namespace sinew::pipeline
