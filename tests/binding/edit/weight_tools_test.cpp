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

/// Rounds by dense rows, one joint after another.
std::vector<std::vector<double>> smoothed_densely(const SkinWeights& weights, const geometry::Lists& rings,
                                                  Index joints, int rounds) {
  std::vector<std::vector<double>> rows(weights.row_count(), std::vector<double>(joints, 0.0));
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& i : weights.row(v)) rows[v][i.joint] = static_cast<double>(i.weight);
  for (int round = 0; round < rounds; ++round) {
    auto next = rows;
    for (Index v = 0; v < weights.row_count(); ++v)
      for (Index j = 0; j < joints; ++j) {
        double mean = 0;
        for (const Index other : rings[v]) mean += rows[other][j] / static_cast<double>(rings[v].size());
        next[v][j] = 0.5 * rows[v][j] + 0.5 * mean;
      }
    rows = std::move(next);
  }
  return rows;
}

TEST(Smoothed, RowsOfEqualOtherAndManyJointsAllFollowTheFormula) {
  // A third has the same two joints, a third has the same four, and the others have up to seven different ones.
  std::mt19937 dice(23);
  std::uniform_real_distribution<float> weight(0.05F, 1.0F);
  const SkinWeights mixed = random_rows(90, 29);
  SkinWeights weights;
  for (Index v = 0; v < 90; ++v) {
    if (v < 30) weights.add_row({{3, weight(dice)}, {8, weight(dice)}});
    else if (v < 60) weights.add_row({{8, weight(dice)}, {3, weight(dice)}, {21, weight(dice)}, {34, weight(dice)}});
    else weights.add_row(mixed.row(v));
  }
  weights = weights.normalized();
  const geometry::Lists rings = circle(90);
  const SkinWeights sparse = smoothed(weights, rings, 4);
  const auto dense = smoothed_densely(weights, rings, 40, 4);
  for (Index v = 0; v < 90; ++v)
    for (Index j = 0; j < 40; ++j) EXPECT_NEAR(weight_of(sparse.row(v), j), dense[v][j], 1e-6);
}

TEST(SmoothedOnMesh, IsWhatTheThreeStepsGive) {
  const SkinWeights weights = random_rows(500, 31);
  geometry::Welding welding;
  for (Index v = 0; v < 700; ++v) welding.welded.push_back(v % 500);
  for (Index w = 0; w < 500; ++w) welding.first.push_back(w);
  for (const int rounds : {0, 1, 3})
    for (const int count : {0, 2, 3, 6})
      EXPECT_EQ(smoothed_on_mesh(weights, circle(500), rounds, count, welding),
                unwelded(capped_rows(smoothed(weights, circle(500), rounds), count), welding));
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
