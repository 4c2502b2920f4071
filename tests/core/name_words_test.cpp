// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/name_words.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

using Words = std::vector<std::string>;

TEST(NameWords, AreCutAtSeparatorsCapitalsAndNumbers) {
  EXPECT_EQ(name_words("kneeIK.l"), (Words{"knee", "ik", "l"}));
  EXPECT_EQ(name_words("vis:IKHand_L02"), (Words{"ik", "hand", "l", "02"}));
  EXPECT_EQ(name_words("mixamorig:LeftHandThumb4"), (Words{"left", "hand", "thumb", "4"}));
  EXPECT_EQ(name_words("_rootJoint"), (Words{"root", "joint"}));
  EXPECT_EQ(name_words("DEF-upper_arm.L.001"), (Words{"def", "upper", "arm", "l", "001"}));
  EXPECT_EQ(name_words("--"), Words());
}

}  // namespace
}  // namespace sinew
