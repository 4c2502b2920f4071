// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/weight_agreement.h"

#include <gtest/gtest.h>

namespace sinew::measure {
namespace {

TEST(WeightAgreement, OfEqualWeightsIsPerfectWhateverTheirSum) {
  SkinWeights a, b;
  a.add_row({{0, 0.25F}, {1, 0.75F}});
  a.add_row({{2, 1.0F}});
  b.add_row({{0, 0.5F}, {1, 1.5F}});
  b.add_row({{2, 3.0F}});
  const WeightAgreement found = weight_agreement(a, b);
  EXPECT_EQ(found.mean_half_l1, 0);
  EXPECT_EQ(found.worst_half_l1, 0);
  EXPECT_EQ(found.same_dominant, 1);
  EXPECT_EQ(found.empty_rows, 0U);
}

TEST(WeightAgreement, OfRowsWithoutACommonJointIsOne) {
  SkinWeights a, b;
  a.add_row({{0, 0.5F}, {1, 0.5F}});
  b.add_row({{2, 0.25F}, {3, 0.75F}});
  const WeightAgreement found = weight_agreement(a, b);
  EXPECT_NEAR(found.mean_half_l1, 1, 1e-7);
  EXPECT_EQ(found.same_dominant, 0);
}

TEST(WeightAgreement, IsHalfTheSumOfDifferencesAndDoesNotDependOnTheOrder) {
  SkinWeights a, b;
  a.add_row({{0, 0.75F}, {1, 0.25F}});
  a.add_row({{0, 1.0F}});
  b.add_row({{0, 0.25F}, {1, 0.5F}, {2, 0.25F}});
  b.add_row({{0, 1.0F}});
  for (const WeightAgreement& found : {weight_agreement(a, b), weight_agreement(b, a)}) {
    EXPECT_NEAR(found.worst_half_l1, 0.5, 1e-7);
    EXPECT_NEAR(found.mean_half_l1, 0.25, 1e-7);
    EXPECT_EQ(found.same_dominant, 0.5);
  }
}

TEST(WeightAgreement, CountsRowsThatOneSideLacks) {
  SkinWeights a, b;
  a.add_row({{0, 1.0F}});
  a.add_row({});
  b.add_row({});
  b.add_row({});
  const WeightAgreement found = weight_agreement(a, b);
  EXPECT_EQ(found.empty_rows, 1U);
  EXPECT_EQ(found.mean_half_l1, 0.5);
  EXPECT_EQ(found.same_dominant, 0.5);
}

}  // namespace
}  // namespace sinew::measure
