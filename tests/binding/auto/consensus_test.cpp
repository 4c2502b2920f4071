// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/consensus.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace sinew::binding {
namespace {

float row_weight(const WeightRow& row, Index joint) {
  for (const Influence& influence : row)
    if (influence.joint == joint) return influence.weight;
  return 0;
}

float row_sum(const WeightRow& row) {
  float sum = 0;
  for (const Influence& influence : row) sum += influence.weight;
  return sum;
}

TEST(Consensus, OneWrongMethodOfThreeHardlyCounts) {
  const WeightRow good = {{0, 0.7F}, {1, 0.3F}}, wrong = {{5, 1.0F}};
  const std::array<RowVote, 3> votes = {RowVote{good, 1}, RowVote{wrong, 1}, RowVote{good, 1}};
  const WeightRow row = consensus(votes);
  EXPECT_NEAR(row_weight(row, 0), 0.7F, 0.08F);
  EXPECT_NEAR(row_weight(row, 1), 0.3F, 0.04F);
  EXPECT_LT(row_weight(row, 5), 0.1F);
  EXPECT_NEAR(row_sum(row), 1, 1e-6);
}

TEST(Consensus, MethodsWithoutTrustDoNotCount) {
  const WeightRow a = {{2, 0.4F}, {3, 0.6F}}, b = {{7, 1.0F}};
  const std::array<RowVote, 3> votes = {RowVote{a, 1}, RowVote{b, 0}, RowVote{{}, 0}};
  const WeightRow row = consensus(votes);
  EXPECT_NEAR(row_weight(row, 2), 0.4F, 1e-6);
  EXPECT_NEAR(row_weight(row, 3), 0.6F, 1e-6);
  EXPECT_EQ(row.size(), 2U);
}

TEST(Consensus, WithoutVotesTheRowIsEmpty) { EXPECT_TRUE(consensus({}).empty()); }

TEST(Consensus, RowsThatAllDifferBecomeTheirMean) {
  const WeightRow a = {{0, 1.0F}}, b = {{1, 1.0F}}, c = {{2, 1.0F}};
  const std::array<RowVote, 3> votes = {RowVote{a, 1}, RowVote{b, 1}, RowVote{c, 1}};
  const WeightRow row = consensus(votes);
  for (const Index joint : {0U, 1U, 2U}) EXPECT_NEAR(row_weight(row, joint), 1.0F / 3, 1e-5);
}

// Where two methods swap ranks, and where trust fades, nothing jumps.
TEST(Consensus, ChangesContinuously) {
  WeightRow last;
  for (int step = 0; step <= 400; ++step) {
    const float t = static_cast<float>(step) / 400;
    const WeightRow a = {{0, t}, {1, 1 - t}}, b = {{0, 1 - t}, {1, t}}, c = {{0, 0.2F}, {2, 0.8F}};
    const std::array<RowVote, 3> votes = {RowVote{a, 1.5}, RowVote{b, 1}, RowVote{c, static_cast<double>(t)}};
    const WeightRow row = consensus(votes);
    EXPECT_NEAR(row_sum(row), 1, 1e-5);
    if (step > 0)
      for (const Index joint : {0U, 1U, 2U})
        EXPECT_NEAR(row_weight(row, joint), row_weight(last, joint), 0.02F) << step;
    last = row;
  }
}

}  // namespace
}  // namespace sinew::binding
