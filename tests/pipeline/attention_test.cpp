// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/attention.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sinew::pipeline
