// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/method.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "sinew/transfer/rays/skeleton_aware.h"
#include "tests/transfer/arms.h"

namespace sinew::transfer {
namespace {

using Row = std::vector<Influence>;

Row capped(Row row, int count) {
  cap_continuously(row, count);
  return row;
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

TEST(CapContinuously, LeavesRowsAloneThatAreShortEnough) {
  const Row row = {{3, 0.5F}, {1, 0.3F}, {7, 0.2F}};
  EXPECT_LT(apart(capped(row, 3), row), 1e-7);
  EXPECT_LT(apart(capped(row, 4), row), 1e-7);
  EXPECT_LT(apart(capped(row, 0), row), 1e-7);
}

TEST(CapContinuously, TakesTheNextLargestFromAll) {
  // 0.4, 0.3, 0.2, 0.1 at two: less 0.2 each is 0.2 and 0.1.
  const Row row = capped({{0, 0.1F}, {1, 0.4F}, {2, 0.2F}, {3, 0.3F}}, 2);
  ASSERT_EQ(row.size(), 2U);
  EXPECT_EQ(row[0].joint, 1U);
  EXPECT_NEAR(row[0].weight, 2.0 / 3, 1e-6);
  EXPECT_NEAR(row[1].weight, 1.0 / 3, 1e-6);
}

TEST(CapContinuously, KeepsTheFirstOfEqualWeights) {
  const Row row = capped({{4, 0.2F}, {1, 0.2F}, {0, 0.2F}, {3, 0.2F}, {2, 0.2F}}, 2);
  ASSERT_EQ(row.size(), 2U);
  EXPECT_EQ(row[0], (Influence{0, 0.5F}));
  EXPECT_EQ(row[1], (Influence{1, 0.5F}));
}

TEST(CapContinuously, DropsAllThatAreAsSmallAsTheNext) {
  const Row row = capped({{0, 0.4F}, {1, 0.2F}, {2, 0.2F}, {3, 0.2F}}, 2);
  ASSERT_EQ(row.size(), 1U);
  EXPECT_EQ(row[0], (Influence{0, 1.0F}));
}

TEST(CapContinuously, LeavesAnEmptyRowEmpty) {
  EXPECT_TRUE(capped({}, 4).empty());
  EXPECT_TRUE(capped({}, 0).empty());
}

RC_GTEST_PROP(CapContinuously, RowsAreShortSortedAndSumToOne, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::uniform_real_distribution<float> weight(0, 1);
  const int count = *rc::gen::inRange(1, 9);
  Row row;
  for (Index j = 0; j < 12; ++j) row.push_back({j, weight(random)});
  row = capped(row, count);
  RC_ASSERT(row.size() <= static_cast<std::size_t>(count));
  RC_ASSERT(std::abs(sum_of(row) - 1) < 1e-6);
  for (std::size_t i = 0; i < row.size(); ++i) {
    RC_ASSERT(row[i].weight > 0);
    RC_ASSERT(i == 0 || row[i].weight <= row[i - 1].weight);
  }
}

// Also through places where two weights change their order, and which ones stay. What stays weighs half of the row at
// least: scaling to the sum 1 makes changes larger by as much as it is less.
RC_GTEST_PROP(CapContinuously, ASmallChangeOfWeightsIsASmallChangeOfTheRow, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::uniform_real_distribution<float> weight(0.01F, 0.05F), change(-1e-6F, 1e-6F);
  Row row = {{0, 0.6F}, {1, weight(random)}};
  for (Index j = 2; j < 8; ++j) row.push_back({j, weight(random)});
  for (Index j = 2; j < 8; j += 2) row[j].weight = row[j - 1].weight;  // Ties, broken by the change.
  const double sum = sum_of(row);
  for (Influence& i : row) i.weight = static_cast<float>(static_cast<double>(i.weight) / sum);
  Row other = row;
  other[random() % other.size()].weight += change(random);
  for (int count = 1; count <= 8; ++count) RC_ASSERT(apart(capped(row, count), capped(other, count)) < 1e-5);
}

TEST(TransferMethods, AreRegisteredByName) {
  for (const char* id : {"skeleton", "closest", "inpaint", "guides"})
    EXPECT_NE(methods().find(id).transfer, nullptr) << id;
}

TEST(TransferMethods, OwnTheirOptions) {
  EXPECT_TRUE(methods().find("skeleton").options.is<SkeletonAwareOptions>());
  EXPECT_TRUE(methods().find("guides").options.is<GuideOptions>());
  EXPECT_TRUE(methods().find("closest").options.is<NoOptions>());
  MethodChoice choice(methods(), "skeleton-aware");
  const Json values = choice.options().list().to_json();
  EXPECT_DOUBLE_EQ(values["cone"].get<double>(), 15);  // Degrees for people.
  EXPECT_EQ(values["directions"], "positions");
  EXPECT_EQ(values["surfaces"], "nearest");
}

TEST(TransferMethods, OptionsAreValidated) {
  const Rig rig = test::arm("reference");
  const Reference from = test::reference_of(rig);
  const TransferBody to = test::side_of(rig);
  const Correspondence pairs = test::arm_pairs(rig, rig);
  const auto refused = [&](const MethodChoice& choice, const TransferOptions& common) -> std::string {
    try {
      transfer(choice, {from, to, pairs}, common);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  };
  TransferOptions common;
  common.max_influences = 65;
  EXPECT_NE(refused({methods(), "closest"}, common).find("'max_influences'"), std::string::npos);
  SkeletonAwareOptions own;
  own.rays = 0;
  EXPECT_NE(refused({methods(), "skeleton", own}, {}).find("'rays'"), std::string::npos);
}

TEST(TransferMethods, AbsentMeansFourInfluencesAndZeroNoLimit) {
  TransferOptions options;
  EXPECT_EQ(options.influence_limit(), 4);
  options.max_influences = 0;
  EXPECT_EQ(options.influence_limit(), 0);
}

}  // namespace
}  // namespace sinew::transfer
