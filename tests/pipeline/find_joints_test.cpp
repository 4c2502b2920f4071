// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/find_joints.h"

#include <gtest/gtest.h>

#include "sinew/core/error.h"
#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

class FindJoints : public testing::Test {
 protected:
  std::vector<std::string> names(const std::vector<std::string>& words) const {
    std::vector<std::string> result;
    for (const Index joint : find_joints(human_.rig, words, "focus"))
      result.push_back(human_.rig.skeleton.joints[joint].name);
    return result;
  }
  std::string refusal(const std::string& word) const {
    try {
      find_joints(human_.rig, {word}, "focus");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  const Character human_ = test::made_human();
};

using Names = std::vector<std::string>;

TEST_F(FindJoints, KeepsTheOrderOfTheWordsAndNamesEachOnce) {
  EXPECT_EQ(names({"RightHand", "left_elbow", "LeftForearm"}), (Names{"RightHand", "LeftForearm"}));
}

TEST_F(FindJoints, AHipIsTheJointOfTheThighAndTheHipsAreThePelvis) {
  EXPECT_EQ(names({"left_hip"}), (Names{"LeftThigh"}));
  EXPECT_EQ(names({"hip"}).size(), 2U);
  EXPECT_EQ(names({"hips"}), (Names{"Hips"}));
}

TEST_F(FindJoints, AnUnknownWordGetsTheNearestOne) {
  EXPECT_NE(refusal("elbwo").find("Did you mean 'elbow'?"), std::string::npos) << refusal("elbwo");
  EXPECT_NE(refusal("LeftForarm").find("Did you mean 'LeftForearm'?"), std::string::npos) << refusal("LeftForarm");
  EXPECT_NE(refusal("gear").find("'focus'"), std::string::npos);
}

}  // namespace
}  // namespace sinew::pipeline
