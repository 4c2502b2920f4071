// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/ode/ode.h"

#include <gtest/gtest.h>

namespace sinew::lab {
namespace {

TEST(OdeExperiment, MadeSequencesAreNearerThanStraightLinesAndSkinning) {
  ReproduceOptions options;
  options.characters = 1;
  Reproduction result;
  ode_held_out(options, {}, result);
  ASSERT_EQ(result.metrics["below"]["sequences"], 3);
  EXPECT_EQ(result.metrics["below"]["straight"], 3);
  EXPECT_EQ(result.metrics["below"]["lbs"], 3);
  EXPECT_EQ(result.metrics["below"]["dqs"], 3);
  EXPECT_TRUE(result.misses.empty());
}

TEST(OdeExperiment, TheResonanceOfThePublishedSchemeIsShown) {
  Reproduction result;
  ode_resonance(result);
  EXPECT_NEAR(result.metrics["resonance"]["6.2"]["5"].get<double>(), 1.12, 0.02);
  EXPECT_GT(result.metrics["resonance"]["6.2"]["10000"].get<double>(), 300);
}

TEST(OdeExperiment, RandomPairsDoNotOvershoot) {
  ReproduceOptions options;
  options.characters = 12;
  Reproduction result;
  ode_random_pairs(options, {}, result);
  EXPECT_TRUE(result.misses.empty());
  EXPECT_EQ(result.tables.back().rows.size(), 2U);
}

}  // namespace
}  // namespace sinew::lab
