// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_tools.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

double sum_of(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& i : row) sum += static_cast<double>(i.weight);
  return sum;
}

double weight_of(std::span<const Influence> row, Index joint) {
  for (const Influence& i : row)
    if (i.joint == joint) return static_cast<double>(i.weight);
  return 0;
}

std::vector<Influence> cut(std::vector<Influence> row, int count) {
  truncate_row(row, count);
  return row;
}

geometry::Lists lists(const std::vector<std::vector<Index>>& all) {
  geometry::Lists result;
  for (const auto& list : all) {
    result.items.insert(result.items.end(), list.begin(), list.end());
    result.offsets.push_back(static_cast<Index>(result.items.size()));
  }
  return result;
}

SkinWeights random_rows(int count, unsigned seed) {
  std::mt19937 dice(seed);
  std::uniform_real_distribution<float> weight(0.01F, 1.0F);
  SkinWeights rows;
  for (int i = 0; i < count; ++i) {
    std::vector<Influence> row;
    for (Index j = 0; j < 1 + dice() % 7; ++j) row.push_back({j * 5 + static_cast<Index>(dice() % 5), weight(dice)});
    rows.add_row(row);
  }
  return rows.normalized();
}

geometry::Lists circle(Index count) {
  std::vector<std::vector<Index>> rings(count);
  for (Index i = 0; i < count; ++i) rings[i] = {(i + count - 1) % count, (i + 1) % count};
  return lists(rings);
}

TEST(TruncateRow, TakesTheLargestThatGoesFromThoseThatStay) {
  const auto row = cut({{3, 0.4F}, {1, 0.3F}, {2, 0.2F}, {7, 0.1F}}, 2);
  ASSERT_EQ(row.size(), 2U);
  EXPECT_EQ(row[0].joint, 3U);
  EXPECT_NEAR(row[0].weight, 2.0 / 3, 1e-6);
  EXPECT_NEAR(row[1].weight, 1.0 / 3, 1e-6);
}

TEST(TruncateRow, DoesNotJumpWhereTwoWeightsChangePlaces) {
  double worst = 0;
  std::vector<Influence> before;
  for (int k = 0; k <= 2000; ++k) {
    const float t = static_cast<float>(k) / 2000;
    // Joints 1 and 2 change places as second of the row at t = 1/2; joint 0 stays the largest.
    const auto row = cut({{0, 0.5F}, {1, 0.15F + 0.2F * t}, {2, 0.35F - 0.2F * t}}, 2);
    if (k > 0)
      for (Index j = 0; j < 3; ++j) worst = std::max(worst, std::abs(weight_of(row, j) - weight_of(before, j)));
    before = row;
  }
  EXPECT_LT(worst, 0.002);
}

TEST(TruncateRow, OfEqualWeightsTheFirstJointsStayEqual) {
  const auto row = cut({{9, 0.25F}, {4, 0.25F}, {6, 0.25F}, {1, 0.25F}}, 3);
  const std::vector<Influence> wanted = {{1, 1.0F / 3}, {4, 1.0F / 3}, {6, 1.0F / 3}};
  EXPECT_EQ(row, wanted);
}

TEST(TruncateRow, DropsWhatIsNoShareAndScalesTheRest) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto row = cut({{0, nan}, {1, 2.0F}, {2, -1.0F}, {3, 6.0F}, {4, 0.0F}, {5, inf}}, 4);
  const std::vector<Influence> wanted = {{3, 0.75F}, {1, 0.25F}};
  EXPECT_EQ(row, wanted);
  EXPECT_TRUE(cut({{0, nan}}, 4).empty());
  EXPECT_TRUE(cut({}, 4).empty());
}

RC_GTEST_PROP(TruncateRow, RowsAreShortSortedAndSumToOne, ()) {
  const auto count = *rc::gen::inRange(1, 9);
  const auto weights = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2, 1000));
  std::vector<Influence> row;
  for (std::size_t i = 0; i < weights.size(); ++i)
    row.push_back({static_cast<Index>(i), static_cast<float>(weights[i]) / 1000});
  const bool any = std::any_of(weights.begin(), weights.end(), [](int w) { return w > 0; });
  truncate_row(row, count);
  RC_ASSERT(row.empty() == !any);
  RC_ASSERT(row.size() <= static_cast<std::size_t>(count));
  if (any) RC_ASSERT(std::abs(sum_of(row) - 1) < 1e-6);
  for (std::size_t i = 0; i < row.size(); ++i) {
    RC_ASSERT(row[i].weight > 0);
    if (i > 0)
      RC_ASSERT(row[i - 1].weight > row[i].weight ||
                (row[i - 1].weight == row[i].weight && row[i - 1].joint < row[i].joint));
  }
}

TEST(Truncated, TreatsEveryRowAndLeavesEmptyOnes) {
  SkinWeights weights;
  weights.add_row({{0, 0.5F}, {1, 0.3F}, {2, 0.2F}});
  weights.add_row({});
  weights.add_row({{4, 1.0F}});
  const SkinWeights two = truncated(weights, 2);
  ASSERT_EQ(two.row_count(), 3U);
  EXPECT_EQ(two.row(0).size(), 2U);
  EXPECT_NEAR(two.row(0)[0].weight, 0.75, 1e-6);
  EXPECT_TRUE(two.row(1).empty());
  EXPECT_EQ(two.row(2)[0], (Influence{4, 1.0F}));
}

TEST(Smoothed, OneRoundIsHalfItselfAndHalfTheMeanOfTheRing) {
  SkinWeights weights;
  weights.add_row({{0, 1.0F}});
  weights.add_row({{1, 1.0F}});
  weights.add_row({{1, 0.5F}, {2, 0.5F}});
  const SkinWeights once = smoothed(weights, lists({{1, 2}, {0}, {}}), 1);
  EXPECT_NEAR(weight_of(once.row(0), 0), 0.5, 1e-7);
  EXPECT_NEAR(weight_of(once.row(0), 1), 0.375, 1e-7);
  EXPECT_NEAR(weight_of(once.row(0), 2), 0.125, 1e-7);
  EXPECT_NEAR(weight_of(once.row(1), 0), 0.5, 1e-7);
  EXPECT_EQ(weight_of(once.row(2), 1), 0.5) << "a row without a ring stays";
}

TEST(Smoothed, NothingMixesAcrossAGap) {
  SkinWeights weights;
  for (Index i = 0; i < 10; ++i) weights.add_row({{i < 5 ? 0U : 1U, 1.0F}});
  std::vector<std::vector<Index>> rings(10);
  for (Index i = 0; i + 1 < 10; ++i)
    if (i != 4) rings[i].push_back(i + 1), rings[i + 1].push_back(i);
  EXPECT_EQ(smoothed(weights, lists(rings), 50), weights);
}

TEST(Smoothed, NoRoundsChangeNothing) {
  const SkinWeights weights = random_rows(20, 3);
  EXPECT_EQ(smoothed(weights, circle(20), 0), weights);
}

TEST(Smoothed, RowsSumToOneAndComeNearTheMeanOfAll) {
  const SkinWeights weights = random_rows(12, 5);
  const SkinWeights even = smoothed(weights, circle(12), 500);
  for (Index v = 0; v < 12; ++v) EXPECT_NEAR(sum_of(even.row(v)), 1, 1e-6);
  for (Index j = 0; j < 40; ++j) {
    double mean = 0;
    for (Index v = 0; v < 12; ++v) mean += weight_of(weights.row(v), j) / 12;
    EXPECT_NEAR(weight_of(even.row(7), j), mean, 1e-4);
  }
}

TEST(Smoothed, EmptyRowsStayEmptyAndCountInNoMean) {
  SkinWeights weights;
  weights.add_row({{0, 1.0F}});
  weights.add_row({});
  weights.add_row({{1, 1.0F}});
  const SkinWeights once = smoothed(weights, lists({{1, 2}, {0, 2}, {0, 1}}), 1);
  EXPECT_TRUE(once.row(1).empty());
  EXPECT_NEAR(weight_of(once.row(0), 1), 0.5, 1e-7);
}

TEST(Smoothed, SameBytesForAnyNumberOfThreads) {
  const SkinWeights weights = random_rows(20000, 11);
  const geometry::Lists rings = circle(20000);
  set_thread_count(1);
  const SkinWeights one = truncated(smoothed(weights, rings, 3), 3);
  set_thread_count(2);
  const SkinWeights two = truncated(smoothed(weights, rings, 3), 3);
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

TEST(Unwelded, EveryCopyGetsTheRow) {
  SkinWeights weights;
  weights.add_row({{2, 1.0F}});
  weights.add_row({{5, 0.75F}, {1, 0.25F}});
  const SkinWeights all = unwelded(weights, {{0, 1, 0, 1}, {0, 1}});
  ASSERT_EQ(all.row_count(), 4U);
  for (const Index v : {1U, 3U}) EXPECT_EQ(all.row(v)[1], (Influence{1, 0.25F}));
  EXPECT_EQ(all.row(2)[0], (Influence{2, 1.0F}));
}

}  // namespace
}  // namespace sinew::binding
