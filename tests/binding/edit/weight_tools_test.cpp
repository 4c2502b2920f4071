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
  const SkinWeights one = capped_rows(smoothed(weights, rings, 3), 3);
  set_thread_count(2);
  const SkinWeights two = capped_rows(smoothed(weights, rings, 3), 3);
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
