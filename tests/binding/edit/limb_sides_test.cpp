// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/limb_sides.h"

#include <gtest/gtest.h>

namespace sinew::binding {
namespace {

/// Hips 0; thighs 1 and 2; shins 3 and 4 below them.
Skeleton two_legs() {
  Skeleton skeleton;
  skeleton.joints.resize(5);
  for (const auto& [a, b] : {std::pair{1U, 2U}, std::pair{3U, 4U}}) {
    skeleton.joints[a].mirror = b, skeleton.joints[b].mirror = a;
    skeleton.joints[a].parent = a == 1 ? 0 : 1, skeleton.joints[b].parent = b == 2 ? 0 : 2;
  }
  return skeleton;
}

SkinWeights boot() {
  SkinWeights weights;
  weights.add_row({{3, 0.9F}, {4, 0.1F}});
  weights.add_row({{1, 0.6F}, {2, 0.2F}, {0, 0.2F}});
  weights.add_row({{3, 1.0F}});
  weights.add_row({{4, 0.2F}, {3, 0.8F}});
  return weights;
}

TEST(SeparateSides, TakesTheOtherLegFromABoot) {
  const SidedRows sided = separate_sides(boot(), two_legs(), {0, 0, 0, 0});
  EXPECT_EQ(sided.changed, 3U);
  for (Index v = 0; v < 4; ++v) {
    float sum = 0;
    for (const Influence& i : sided.weights.row(v)) {
      EXPECT_NE(i.joint, 2U);
      EXPECT_NE(i.joint, 4U);
      sum += i.weight;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  EXPECT_NEAR(sided.weights.row(1)[0].weight, 0.75, 1e-6);
}

TEST(SeparateSides, GivesARowOfTheOtherLegAloneToItsPartner) {
  SkinWeights weights = boot();
  for (int i = 0; i < 6; ++i) weights.add_row({{3, 1.0F}});
  weights.add_row({{4, 0.7F}, {2, 0.3F}});
  const SidedRows sided = separate_sides(weights, two_legs(), std::vector<Index>(11, 0));
  EXPECT_EQ(sided.weights.row(10)[0], (Influence{3, 0.7F}));
  EXPECT_EQ(sided.weights.row(10)[1], (Influence{1, 0.3F}));
}

TEST(SeparateSides, LeavesASkirtAndVerticesWithoutAShellAlone) {
  SkinWeights skirt;
  skirt.add_row({{1, 0.5F}, {2, 0.5F}});
  skirt.add_row({{1, 0.9F}, {2, 0.1F}});
  skirt.add_row({{1, 0.3F}, {2, 0.7F}});
  EXPECT_EQ(separate_sides(skirt, two_legs(), {0, 0, 0}).weights, skirt);
  EXPECT_EQ(separate_sides(boot(), two_legs(), std::vector<Index>(4, kNone)).changed, 0U);
}

}  // namespace
}  // namespace sinew::binding
