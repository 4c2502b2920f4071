// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/similarity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::transfer {
namespace {

using Row = std::vector<Influence>;

TEST(Similarity, HasTheValuesOfEquationOne) {
  const Row a = {{0, 0.5F}, {1, 0.5F}}, b = {{0, 0.75F}, {1, 0.25F}}, c = {{1, 0.5F}, {2, 0.5F}}, d = {{5, 1.0F}};
  // |½ − ¾|/(5/4) = 1/5 and ¼/¾ = 1/3.
  EXPECT_NEAR(canberra_similarity(a, b), 1 - (1.0 / 5 + 1.0 / 3) / 2, 1e-9);
  // Of three joints one is equal and two are one side's alone.
  EXPECT_NEAR(canberra_similarity(a, c), 1.0 / 3, 1e-9);
  EXPECT_NEAR(braycurtis_similarity(a, b), 0.75, 1e-9);
  EXPECT_NEAR(braycurtis_similarity(a, c), 0.5, 1e-9);
  for (const auto similarity : {canberra_similarity, braycurtis_similarity}) {
    EXPECT_EQ(similarity(a, a), 1);
    EXPECT_EQ(similarity(a, d), 0);
    EXPECT_EQ(similarity({}, {}), 0);
    EXPECT_EQ(similarity(a, {}), 0);
    EXPECT_EQ(similarity(a, b), similarity(b, a));
    EXPECT_EQ(similarity(a, c), similarity(c, a));
  }
}

TEST(Similarity, CountsEveryJointAlikeByCanberraAndByWeightByBrayCurtis) {
  const Row a = {{0, 0.999F}, {1, 0.001F}}, b = {{0, 1.0F}};
  EXPECT_NEAR(canberra_similarity(a, b), 0.5, 1e-3);
  EXPECT_NEAR(braycurtis_similarity(a, b), 0.999, 1e-5);
}

Row random_row(std::mt19937& random) {
  std::uniform_real_distribution<float> weight(0.01F, 1);
  Row row;
  for (Index j = 0; j < 7; ++j)
    if (random() % 2 == 0) row.push_back({j, weight(random)});
  return row;
}

RC_GTEST_PROP(CornerRows, CompareAPlaceInATriangleAsItsInterpolatedRow, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  SkinWeights rows;
  std::vector<Row> corners;
  for (int k = 0; k < 3; ++k) rows.add_row(corners.emplace_back(random_row(random)));
  const CornerRows table(std::vector<geometry::TriangleVertices>{{0, 1, 2}}, rows);
  std::uniform_real_distribution<float> share(0, 0.5F);
  const float u = share(random), v = share(random);
  Row place;
  for (Index j = 0; j < 7; ++j) {
    float weight = 0;
    for (std::size_t k = 0; k < 3; ++k)
      for (const Influence& i : corners[k])
        if (i.joint == j) weight += (k == 0 ? 1 - u - v : k == 1 ? u : v) * i.weight;
    if (weight > 0) place.push_back({j, weight});
  }
  SpreadRow spread(7);
  spread.set(random_row(random));  // Must leave nothing behind.
  const Row own = random_row(random);
  spread.set(own);
  RC_ASSERT(std::abs(static_cast<double>(spread.canberra(table.of(0), u, v)) - canberra_similarity(own, place)) < 1e-5);
  RC_ASSERT(std::abs(static_cast<double>(spread.braycurtis(table.of(0), u, v)) - braycurtis_similarity(own, place)) <
            1e-5);
}

}  // namespace
}  // namespace sinew::transfer
