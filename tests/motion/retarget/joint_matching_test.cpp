// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/joint_matching.h"

#include <gtest/gtest.h>

namespace sinew::motion {
namespace {

Skeleton named(std::initializer_list<const char*> names) {
  Skeleton skeleton;
  for (const char* name : names) {
    Joint joint;
    joint.name = name;
    joint.parent = skeleton.empty() ? kNone : 0;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

TEST(PartnersByName, EqualNamesGoToOneAnotherInOrder) {
  const Skeleton from = named({"root", "hand", "hand", "tail", "hand"}), to = named({"hand", "root", "hand"});
  EXPECT_EQ(partners_by_name(from, to), (std::vector<Index>{1, 0, 2, kNone, kNone}));
}

TEST(PartnersByName, ASkeletonIsItsOwnPartner) {
  const Skeleton skeleton = named({"root", "bone", "bone", "bone", ""});
  EXPECT_EQ(partners_by_name(skeleton, skeleton), (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(WeightsByName, JointsThatWeLackAreNumberedBehindOurs) {
  Rig other;
  other.skeleton = named({"tail", "hand", "hand"});
  other.weights.add_row({{1, 0.5F}, {2, 0.3F}, {0, 0.2F}});
  SkinWeights expected;
  expected.add_row({{1, 0.5F}, {2, 0.3F}, {3, 0.2F}});
  EXPECT_EQ(weights_by_name(other, named({"root", "hand", "hand"})), expected);
}

}  // namespace
}  // namespace sinew::motion
