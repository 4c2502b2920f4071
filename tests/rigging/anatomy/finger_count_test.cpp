// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/finger_count.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/rigging/true_plan.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

TEST(FingerCount, FarFingersGiveTheirWeightsToTheLastOneThatStays) {
  const SkeletonPlan plan = true_plan(shapes::make("human", {}).made, {});
  const FewerFingers fewer = with_finger_count(plan, 3);
  EXPECT_TRUE(fewer.findings.empty());
  ASSERT_EQ(fewer.takes.size(), plan.joints.size());
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const PlannedJoint& before = plan.joints[j];
    const PlannedJoint& after = fewer.plan.joints.at(fewer.takes[j]);
    std::string expected = before.role;
    for (const std::string gone : {"_ring_", "_little_"})
      if (const auto at = expected.find(gone); at != std::string::npos) expected.replace(at, gone.size(), "_middle_");
    EXPECT_EQ(after.role, expected);
    if (after.role != before.role) continue;
    EXPECT_EQ(after.position, before.position);
    EXPECT_EQ(after.parent, before.parent == kNone ? kNone : fewer.takes[before.parent]);
  }
  EXPECT_EQ(fewer.plan.find_role("left_ring_1"), kNone);
  EXPECT_NE(fewer.plan.find_role("right_middle_3"), kNone);
}

TEST(FingerCount, AHandWithFewerFingersIsNamed) {
  const SkeletonPlan plan = true_plan(shapes::make("human", {}).made, {"Little"});
  const FewerFingers fewer = with_finger_count(plan, 5);
  EXPECT_EQ(fewer.plan.joints.size(), plan.joints.size());
  ASSERT_EQ(fewer.findings.size(), 2U);
  EXPECT_EQ(fewer.findings.front().code, "rig.fewer_fingers");
  EXPECT_NE(fewer.findings.front().text.find("4 of the 5"), std::string::npos);
}

}  // namespace
}  // namespace sinew::rigging
