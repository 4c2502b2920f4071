// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/curve_rigging/curve_rigging.h"

#include <gtest/gtest.h>

namespace sinew::lab {
namespace {

TEST(CurveRigging, WindowsFindOneBendAtEveryDensityAndThePublishedRuleDoesNot) {
  Reproduction result;
  curve_bends({}, result);
  EXPECT_TRUE(result.misses.empty());
  ASSERT_EQ(result.metrics["bends"].size(), 4U);
  for (const Json& row : result.metrics["bends"]) EXPECT_EQ(row["windows"], 1);
  EXPECT_GT(result.metrics["bends"].front()["published"], 0);
  EXPECT_EQ(result.metrics["bends"].back()["published"], 0);
}

TEST(CurveRigging, LevelSetsHaveTheMiddleLinesOfRings) {
  Reproduction result;
  curve_sources({}, result);
  EXPECT_TRUE(result.misses.empty());
  for (const Json& row : result.metrics["sources"]) {
    EXPECT_LT(row["distance_percent"], 0.2);
    EXPECT_LT(row["wave"], row["rings"]);
  }
}

TEST(CurveRigging, ContractionEndsNearTheMiddleLines) {
  Reproduction result;
  ReproduceOptions options;
  options.runs = 0;
  curve_contraction(options, {}, result);
  ASSERT_EQ(result.metrics["contraction"].size(), 1U);
  EXPECT_LT(result.metrics["contraction"][0]["distance_percent"], 1);
  EXPECT_TRUE(result.times.empty());
}

TEST(CurveRigging, CurvesKeepArmsOutOfLargeEars) {
  Reproduction result;
  curve_ears({}, result);
  EXPECT_TRUE(result.misses.empty());
  for (const Json& row : result.metrics["ears"]) EXPECT_EQ(row["curves"], 4);
}

TEST(CurveRigging, HandHasAllFingersAndTheTemplateAddsWhatDoesNotBend) {
  Reproduction result;
  curve_hand(result);
  for (const Json& row : result.metrics["hand"]) {
    EXPECT_EQ(row["fingers"], 5);
    EXPECT_GE(row["by_template"], 10);
    EXPECT_LT(row["error_percent"][1], 8);
  }
}

TEST(CurveRigging, CurvesAreSmallerThanTheMesh) {
  Reproduction result;
  curve_data_size(result);
  for (const Json& row : result.metrics["data_size"]) EXPECT_LT(row["ring_bytes"], row["mesh_bytes"]);
}

}  // namespace
}  // namespace sinew::lab
