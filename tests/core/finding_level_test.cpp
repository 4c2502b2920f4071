// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/finding_level.h"

#include <gtest/gtest.h>

#include "sinew/core/report.h"

namespace sinew {
namespace {

TEST(FindingLevel, ANoteIsBelowAWarningAndADoubtAboveIt) {
  Findings findings;
  EXPECT_FALSE(has_level(findings, FindingLevel::kNote));
  findings.push_back({"vertex_order", "", "The order differs."});
  EXPECT_TRUE(has_level(findings, FindingLevel::kNote));
  EXPECT_FALSE(has_level(findings, FindingLevel::kWarning));
  findings.push_back({"obj.missing_texture", "", "It is missing."});
  EXPECT_TRUE(has_level(findings, FindingLevel::kWarning));
  EXPECT_FALSE(has_level(findings, FindingLevel::kDoubt));
  findings.push_back({"rig.doubtful", "", "It may be wrong."});
  EXPECT_TRUE(has_level(findings, FindingLevel::kDoubt));
}

TEST(FindingLevel, ACodeThatNoTableHasIsAWarning) {
  EXPECT_EQ(finding_level("some.thing"), FindingLevel::kWarning);
  EXPECT_EQ(finding_level(""), FindingLevel::kWarning);
}

TEST(FindingLevel, ReportsStateIt) {
  Report report;
  for (const char* code : {"vertex_order", "rig.size", "rig.doubtful"}) report.warn(code, "", "text");
  const Json json = report.to_json();
  EXPECT_EQ(json["findings"][0]["level"], "note");
  EXPECT_EQ(json["findings"][1]["level"], "warning");
  EXPECT_EQ(json["findings"][2]["level"], "doubt");
}

}  // namespace
}  // namespace sinew
