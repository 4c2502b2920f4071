// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/pose_variants.h"

#include <gtest/gtest.h>

#include "sinew/rigging/templates/template_file.h"

namespace sinew::rigging {
namespace {

Vec3 at(const Template& t, const std::string& name) {
  for (const Template::Joint& joint : t.joints)
    if (joint.name == name) return joint.position;
  ADD_FAILURE() << name;
  return Vec3::Zero();
}

TEST(PoseVariants, KeepTheLengthsOfAllBones) {
  const Template& t = find_template("human");
  const std::vector<PoseVariant> variants = pose_variants(t);
  ASSERT_GE(variants.size(), 4u);
  for (const PoseVariant& variant : variants)
    for (Index j = 0; j < t.joints.size(); ++j) {
      const Index parent = t.joints[j].parent;
      if (parent == kNone) continue;
      const Template& posed = variant.skeleton_template;
      EXPECT_NEAR((posed.joints[j].position - posed.joints[parent].position).norm(),
                  (t.joints[j].position - t.joints[parent].position).norm(), 1e-9)
          << variant.name << " " << t.joints[j].name;
    }
}

TEST(PoseVariants, HangingArmsPointDownAndSeatedThighsForward) {
  for (const PoseVariant& variant : pose_variants(find_template("human"))) {
    const Template& t = variant.skeleton_template;
    const Vec3 arm = (at(t, "LeftForearm") - at(t, "LeftUpperArm")).normalized();
    const Vec3 thigh = (at(t, "RightShin") - at(t, "RightThigh")).normalized();
    if (variant.name == "arms down") {
      EXPECT_LT(arm.y(), -0.9);
    }
    if (variant.name == "arms up") {
      EXPECT_GT(arm.y(), 0.4);
    }
    if (variant.name == "sitting") {
      EXPECT_GT(thigh.z(), 0.9);
    } else {
      EXPECT_LT(thigh.y(), -0.8) << variant.name;
    }
  }
}

TEST(PoseVariants, SidesOfTheBodyStayWhereTheyAre) {
  for (const PoseVariant& variant : pose_variants(find_template("human"))) {
    EXPECT_GT(at(variant.skeleton_template, "LeftHand").x(), 0) << variant.name;
    EXPECT_LT(at(variant.skeleton_template, "RightHand").x(), 0) << variant.name;
  }
}

TEST(PoseVariants, BodiesThatAreNotUprightHaveNone) {
  EXPECT_TRUE(pose_variants(find_template("quadruped")).empty());
  EXPECT_TRUE(pose_variants(find_template("hand")).empty());
}

}  // namespace
}  // namespace sinew::rigging
