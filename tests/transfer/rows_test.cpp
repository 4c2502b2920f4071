// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rows.h"

#include <gtest/gtest.h>

#include <map>

namespace sinew::transfer {
namespace {

TEST(TransferRows, OtherJointsFillUpWhatTheTakenOnesLeave) {
  SkinWeights made, before;
  made.add_row({{0, 0.25F}, {2, 0.75F}});
  before.add_row({{0, 0.5F}, {1, 0.3F}, {3, 0.2F}});
  made.add_row({{2, 1.0F}});
  before.add_row({{1, 0.6F}, {3, 0.4F}});
  made.add_row({{2, 1.0F}});
  before.add_row({{0, 1.0F}});
  made.add_row({{0, 0.5F}, {2, 0.5F}});
  before.add_row({{0, 1.0F}});
  const SkinWeights rows = blended_rows(made, before, {1, 0, 0, 0}, 4);
  std::map<Index, double> first;
  for (const Influence& i : rows.row(0)) first[i.joint] = static_cast<double>(i.weight);
  EXPECT_NEAR(first[0], 0.25, 1e-6);
  EXPECT_NEAR(first[1], 0.45, 1e-6);
  EXPECT_NEAR(first[3], 0.30, 1e-6);
  EXPECT_EQ(rows.row(1)[0], (Influence{1, 0.6F}));  // Untouched.
  EXPECT_EQ(rows.row(2)[0], (Influence{0, 1.0F}));  // Nothing to put in its place.
  EXPECT_EQ(rows.row(3)[0], (Influence{0, 1.0F}));  // Nothing to fill up with.
}

TEST(TransferRows, JointsThatBecomeOneAddUp) {
  SkinWeights rows;
  rows.add_row({{0, 0.5F}, {1, 0.25F}, {2, 0.25F}});
  const SkinWeights other = with_joints(rows, {7, 3, 3});
  ASSERT_EQ(other.row(0).size(), 2U);
  EXPECT_EQ(other.row(0)[0], (Influence{3, 0.5F}));
  EXPECT_EQ(other.row(0)[1], (Influence{7, 0.5F}));
}

}  // namespace
}  // namespace sinew::transfer
