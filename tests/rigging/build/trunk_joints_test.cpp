// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/trunk_joints.h"

#include <gtest/gtest.h>

#include "sinew/rigging/build/build_skeleton.h"
#include "sinew/rigging/templates/preset.h"
#include "sinew/rigging/templates/template_file.h"
#include "tests/rigging/plans.h"

namespace sinew::rigging {
namespace {

SkeletonPlan human() { return test::plan_of(find_template("human")); }

TEST(TrunkJoints, ThereAreAsManyAsRequestedAtEqualDistances) {
  for (const int count : {3, 4, 5}) {
    const SkeletonPlan plan = with_trunk_joints(human(), count);
    ASSERT_EQ(plan.joints.size(), human().joints.size() + static_cast<std::size_t>(count) - 2);
    std::vector<Vec3> line;
    Index j = plan.find_role("neck");
    const Index chest = plan.joints[j].parent;
    EXPECT_EQ(plan.joints[chest].role, "chest");
    for (; plan.joints[j].role != "hips"; j = plan.joints[j].parent) {
      ASSERT_LT(plan.joints[j].parent, j);
      line.push_back(plan.joints[j].position);
    }
    line.push_back(plan.joints[j].position);
    ASSERT_EQ(line.size(), static_cast<std::size_t>(count) + 2);
    const double first = (line[1] - line[0]).norm();
    for (std::size_t i = 1; i < line.size(); ++i) EXPECT_NEAR((line[i] - line[i - 1]).norm(), first, 0.1 * first);
  }
}

TEST(TrunkJoints, EverythingElseKeepsItsParentPartnerAndPosition) {
  const SkeletonPlan before = human(), plan = with_trunk_joints(before, 3);
  for (const PlannedJoint& joint : before.joints) {
    const PlannedJoint& now = plan.joints[plan.find_role(joint.role)];
    EXPECT_EQ(now.name, joint.name);
    if (joint.parent != kNone && joint.role != "chest") {
      EXPECT_EQ(plan.joints[now.parent].role, before.joints[joint.parent].role) << joint.role;
    }
    if (joint.partner != kNone) {
      EXPECT_EQ(plan.joints[now.partner].role, before.joints[joint.partner].role);
    }
    if (joint.role != "spine" && joint.role != "chest") {
      EXPECT_EQ(now.position, joint.position) << joint.role;
    }
  }
}

TEST(TrunkJoints, EnoughOrNoTrunkStaysAsItIs) {
  EXPECT_EQ(with_trunk_joints(human(), 2).joints.size(), human().joints.size());
  EXPECT_EQ(with_trunk_joints(human(), 0).joints.size(), human().joints.size());
  EXPECT_EQ(with_trunk_joints(SkeletonPlan(), 3).joints.size(), 0U);
}

TEST(TrunkJoints, ProgramsFindTheNamesThatTheyExpect) {
  const auto names_of = [](const char* preset) {
    const Preset& found = find_preset(preset);
    return build_skeleton(with_trunk_joints(human(), found.spine_joints), found).skeleton;
  };
  const Skeleton mixamo = names_of("mixamo"), unreal = names_of("unreal"), rigify = names_of("rigify");
  for (const char* name : {"Spine", "Spine1", "Spine2"})
    EXPECT_NE(mixamo.find("mixamorig:" + std::string(name)), kNone);
  for (const char* name : {"spine_01", "spine_02", "spine_03"}) EXPECT_NE(unreal.find(name), kNone) << name;
  for (const char* name :
       {"spine", "spine.001", "spine.003", "spine.004", "spine.006", "upper_arm.L", "shin.R", "toe.L", "f_index.01.L"})
    EXPECT_NE(rigify.find(name), kNone) << name;
}

}  // namespace
}  // namespace sinew::rigging
