// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "sinew/core/joint_steps.h"
#include "sinew/core/parallel.h"
#include "sinew/core/weights.h"

namespace sinew {
namespace {

using Row = std::vector<Influence>;

Row capped(Row row, int count, const JointSteps* steps = nullptr) {
  cap_row(row, count, steps);
  return row;
}

Skeleton chain_of(Index joints) {
  Skeleton skeleton;
  skeleton.joints.resize(joints);
  for (Index j = 0; j < joints; ++j) skeleton.joints[j].parent = j == 0 ? kNone : j - 1;
  return skeleton;
}

double sum_of(const Row& row) {
  double sum = 0;
  for (const Influence& i : row) sum += static_cast<double>(i.weight);
  return sum;
}

double apart(const Row& a, const Row& b) {
  double most = 0;
  for (Index j = 0; j < 64; ++j) {
    const auto at = [&](const Row& row) {
      for (const Influence& i : row)
        if (i.joint == j) return static_cast<double>(i.weight);
      return 0.0;
    };
    most = std::max(most, std::abs(at(a) - at(b)));
  }
  return most;
}

double weight_of(std::span<const Influence> row, Index joint) {
  for (const Influence& i : row)
    if (i.joint == joint) return static_cast<double>(i.weight);
  return 0;
}

TEST(CapRow, KeepsTheRatiosOfWeightsThatAreClearlyLarger) {
  const auto row = capped({{3, 0.4F}, {1, 0.3F}, {2, 0.2F}, {7, 0.1F}}, 2);
  ASSERT_EQ(row.size(), 2U);
  EXPECT_EQ(row[0].joint, 3U);
  EXPECT_NEAR(row[0].weight, 4.0 / 7, 1e-6);
  EXPECT_NEAR(row[1].weight, 3.0 / 7, 1e-6);
}

TEST(CapRow, FadesWeightsThatAreHardlyLargerThanTheNext) {
  const auto row = capped({{0, 0.5F}, {1, 0.21F}, {2, 0.2F}}, 2);  // Half-way to 1.1 times the next.
  ASSERT_EQ(row.size(), 2U);
  EXPECT_NEAR(row[1].weight / row[0].weight, 0.5 * 0.21 / 0.5, 1e-5);
}

TEST(CapRow, DoesNotJumpWhereTwoWeightsChangePlaces) {
  double worst = 0;
  std::vector<Influence> before;
  for (int k = 0; k <= 2000; ++k) {
    const float t = static_cast<float>(k) / 2000;
    // Joints 1 and 2 change places as second of the row at t = 1/2; joint 0 stays the largest.
    const auto row = capped({{0, 0.5F}, {1, 0.15F + 0.2F * t}, {2, 0.35F - 0.2F * t}}, 2);
    if (k > 0)
      for (Index j = 0; j < 3; ++j) worst = std::max(worst, std::abs(weight_of(row, j) - weight_of(before, j)));
    before = row;
  }
  EXPECT_LT(worst, 0.004);
}

TEST(CapRow, OfEqualWeightsTheFirstJointsStayEqual) {
  const auto row = capped({{9, 0.25F}, {4, 0.25F}, {6, 0.25F}, {1, 0.25F}}, 3);
  const std::vector<Influence> wanted = {{1, 1.0F / 3}, {4, 1.0F / 3}, {6, 1.0F / 3}};
  EXPECT_EQ(row, wanted);
}

TEST(CapRow, DropsWhatIsNoShareAndScalesTheRest) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto row = capped({{0, nan}, {1, 2.0F}, {2, -1.0F}, {3, 6.0F}, {4, 0.0F}, {5, inf}}, 4);
  const std::vector<Influence> wanted = {{3, 0.75F}, {1, 0.25F}};
  EXPECT_EQ(row, wanted);
  EXPECT_TRUE(capped({{0, nan}}, 4).empty());
  EXPECT_TRUE(capped({}, 4).empty());
}

RC_GTEST_PROP(CapRow, RowsAreShortSortedAndSumToOne, ()) {
  const auto count = *rc::gen::inRange(1, 9);
  const auto weights = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2, 1000));
  std::vector<Influence> row;
  for (std::size_t i = 0; i < weights.size(); ++i)
    row.push_back({static_cast<Index>(i), static_cast<float>(weights[i]) / 1000});
  const bool any = std::any_of(weights.begin(), weights.end(), [](int w) { return w > 0; });
  cap_row(row, count);
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

TEST(CappedRows, TreatsEveryRowAndLeavesEmptyOnes) {
  SkinWeights weights;
  weights.add_row({{0, 0.5F}, {1, 0.3F}, {2, 0.2F}});
  weights.add_row({});
  weights.add_row({{4, 1.0F}});
  const SkinWeights two = capped_rows(weights, 2);
  ASSERT_EQ(two.row_count(), 3U);
  EXPECT_EQ(two.row(0).size(), 2U);
  EXPECT_NEAR(two.row(0)[0].weight, 0.625, 1e-6);
  EXPECT_TRUE(two.row(1).empty());
  EXPECT_EQ(two.row(2)[0], (Influence{4, 1.0F}));
}

TEST(CapRow, LeavesRowsAloneThatAreShortEnough) {
  const Row row = {{3, 0.5F}, {1, 0.3F}, {7, 0.2F}};
  EXPECT_LT(apart(capped(row, 3), row), 1e-7);
  EXPECT_LT(apart(capped(row, 4), row), 1e-7);
  EXPECT_LT(apart(capped(row, 0), row), 1e-7);
}

TEST(CapRow, DropsAllThatAreAsSmallAsTheNext) {
  const Row row = capped({{0, 0.4F}, {1, 0.2F}, {2, 0.2F}, {3, 0.2F}}, 2);
  ASSERT_EQ(row.size(), 1U);
  EXPECT_EQ(row[0], (Influence{0, 1.0F}));
}

// Also through places where two weights change their order, and which ones stay. What stays weighs half of the row at
// least: scaling to the sum 1 at most doubles changes. The fade makes those of up to seven weights 12 times as large.
RC_GTEST_PROP(CapRow, ASmallChangeOfWeightsIsASmallChangeOfTheRow, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::uniform_real_distribution<float> weight(0.01F, 0.05F), change(-1e-6F, 1e-6F);
  Row row = {{0, 0.6F}, {1, weight(random)}};
  for (Index j = 2; j < 8; ++j) row.push_back({j, weight(random)});
  for (Index j = 2; j < 8; j += 2) row[j].weight = row[j - 1].weight;  // Ties, broken by the change.
  const double sum = sum_of(row);
  for (Influence& i : row) i.weight = static_cast<float>(static_cast<double>(i.weight) / sum);
  Row other = row;
  other[random() % other.size()].weight += change(random);
  const JointSteps steps(chain_of(8));
  for (int count = 1; count <= 8; ++count) {
    RC_ASSERT(apart(capped(row, count), capped(other, count)) < 2e-4);
    RC_ASSERT(apart(capped(row, count, &steps), capped(other, count, &steps)) < 4e-4);
  }
}

TEST(CapRow, WhatAJointLosesGoesToJointsThatAreNearInTheHierarchy) {
  // A chain 0 1 2 3 4: joint 4 is removed; 3 is one step away, 0 four.
  const JointSteps steps(chain_of(5));
  const auto row = capped({{0, 0.4F}, {3, 0.4F}, {4, 0.2F}}, 2, &steps);
  ASSERT_EQ(row.size(), 2U);
  EXPECT_NEAR(weight_of(row, 3), 0.4 + 0.2 * 16 / 17, 1e-6);
  EXPECT_NEAR(weight_of(row, 0), 0.4 + 0.2 / 17, 1e-6);
}

TEST(JointSteps, CountBonesAlsoBetweenRoots) {
  Skeleton skeleton = chain_of(4);
  skeleton.joints[3].parent = 1;   // 0 – 1 – 2, and 3 below 1.
  skeleton.joints.emplace_back();  // Another root.
  skeleton.joints[4].parent = kNone;
  const JointSteps steps(skeleton);
  EXPECT_EQ(steps.between(2, 2), 0);
  EXPECT_EQ(steps.between(2, 1), 1);
  EXPECT_EQ(steps.between(0, 2), 2);
  EXPECT_EQ(steps.between(3, 2), 2);
  EXPECT_EQ(steps.between(4, 0), 2);
  EXPECT_EQ(steps.between(2, 4), 4);
}

TEST(CapInfluences, LongRowsKeepTheirSumAndTheLossIsReported) {
  SkinWeights weights;
  weights.add_row({{0, 0.8F}, {1, 0.6F}, {2, 0.4F}, {3, 0.2F}});
  weights.add_row({{7, 1.0F}});
  const CapResult result = cap_influences(weights, 2);
  ASSERT_EQ(result.weights.row(0).size(), 2U);
  EXPECT_NEAR(result.weights.row(0)[0].weight, 2 * 4.0 / 7, 1e-6);
  EXPECT_NEAR(result.weights.row(0)[1].weight, 2 * 3.0 / 7, 1e-6);
  EXPECT_EQ(result.weights.row(1)[0].weight, 1.0F);
  EXPECT_EQ(result.rows, 1U);
  EXPECT_NEAR(result.largest_share, 0.3, 1e-6);
  EXPECT_NEAR(result.mean_share, 0.3, 1e-6);
}

TEST(CapInfluences, RowsThatAreShortEnoughChangeNoBit) {
  SkinWeights weights;
  weights.add_row({{0, 0.1F}, {1, 0.7F}, {2, 0.33F}});
  weights.add_row({});
  const CapResult result = cap_influences(weights, 3);
  EXPECT_EQ(result.weights, weights);
  EXPECT_EQ(result.rows, 0U);
  EXPECT_EQ(result.largest_share, 0);
  EXPECT_EQ(cap_influences(weights, 0).weights, weights);
}

TEST(CappedRows, SameBytesForAnyNumberOfThreads) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> weight(0.01F, 1);
  SkinWeights weights;
  for (int v = 0; v < 9000; ++v) {
    Row row;
    for (Index j = 0; j < random() % 8; ++j) row.push_back({j, weight(random)});
    weights.add_row(row);
  }
  set_thread_count(1);
  const SkinWeights one = capped_rows(weights, 3);
  set_thread_count(2);
  const SkinWeights two = capped_rows(weights, 3);
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace sinew
