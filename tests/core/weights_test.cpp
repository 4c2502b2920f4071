// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/weights.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sinew {
namespace {

SkinWeights one_row(const std::vector<Influence>& row) {
  SkinWeights weights;
  weights.add_row(row);
  return weights;
}

double row_sum(const SkinWeights& weights, Index vertex) {
  double sum = 0;
  for (const Influence& influence : weights.row(vertex)) sum += static_cast<double>(influence.weight);
  return sum;
}

TEST(SkinWeights, RowsFallAndEqualOnesGoByJoint) {
  const SkinWeights weights = one_row({{5, 0.25F}, {2, 0.5F}, {9, 0}, {1, 0.25F}});
  const std::vector<Influence> row(weights.row(0).begin(), weights.row(0).end());
  EXPECT_EQ(row, (std::vector<Influence>{{2, 0.5F}, {1, 0.25F}, {5, 0.25F}}));
  EXPECT_EQ(weights.influence_count(), 3u);
}

TEST(SkinWeights, WhatTheFileSaysIsKept) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const SkinWeights weights = one_row({{0, nan}, {1, -0.5F}, {2, 3.0F}, {2, 1.0F}});
  ASSERT_EQ(weights.row(0).size(), 4u);
  EXPECT_EQ(weights.row(0)[0].weight, 3.0F);
  EXPECT_TRUE(std::isnan(weights.row(0)[3].weight));
}

TEST(SkinWeights, NormalizingDropsNonsenseAndAddsDoublesUp) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const SkinWeights weights = one_row({{0, nan}, {1, -0.5F}, {2, 1.0F}, {3, 2.0F}, {2, 1.0F}, {4, inf}}).normalized();
  const std::vector<Influence> row(weights.row(0).begin(), weights.row(0).end());
  EXPECT_EQ(row, (std::vector<Influence>{{2, 0.5F}, {3, 0.5F}}));
}

TEST(SkinWeights, EmptyRowsStayEmpty) {
  SkinWeights weights;
  weights.add_row({});
  weights.add_row({{0, 2.0F}});
  weights.add_row({{0, -1.0F}});
  const SkinWeights normal = weights.normalized();
  ASSERT_EQ(normal.row_count(), 3u);
  EXPECT_TRUE(normal.row(0).empty());
  EXPECT_EQ(normal.row(1)[0].weight, 1.0F);
  EXPECT_TRUE(normal.row(2).empty());
  EXPECT_TRUE(SkinWeights().empty());
  EXPECT_EQ(SkinWeights().normalized().row_count(), 0u);
}

TEST(SkinWeights, ValidateNamesTheVertexOfAMissingJoint) {
  SkinWeights weights;
  weights.add_row({{0, 1.0F}});
  weights.add_row({{4, 1.0F}});
  EXPECT_TRUE(validate(weights, 5).empty());
  const Findings found = validate(weights, 4);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "weights.joint");
  EXPECT_EQ(found[0].where, "vertex 1");
}

RC_GTEST_PROP(SkinWeightsProperty, NormalizedRowsSumToOneHaveNoDoublesAndFall, ()) {
  std::vector<Influence> row;
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i)
    row.push_back({*rc::gen::inRange<Index>(0, 8), static_cast<float>(*rc::gen::inRange(-10, 1000)) / 37.0F});
  SkinWeights weights = one_row(row).normalized();
  const bool any = std::any_of(row.begin(), row.end(), [](const Influence& i) { return i.weight > 0; });
  const auto check = [&](std::size_t most) {
    const auto result = weights.row(0);
    RC_ASSERT(result.size() <= most);
    RC_ASSERT(result.empty() != any);
    if (any) RC_ASSERT(std::abs(row_sum(weights, 0) - 1) <= 1e-7 * static_cast<double>(result.size() + 1));
    for (std::size_t i = 0; i < result.size(); ++i) {
      RC_ASSERT(result[i].weight > 0);
      if (i > 0) RC_ASSERT(result[i].weight <= result[i - 1].weight);
      for (std::size_t j = 0; j < i; ++j) RC_ASSERT(result[i].joint != result[j].joint);
    }
  };
  check(8);
  CapResult capped = cap_influences(weights, 3);
  RC_ASSERT(capped.largest_share >= 0 && capped.largest_share < 1);
  weights = std::move(capped.weights);
  check(3);
}

}  // namespace
}  // namespace sinew
