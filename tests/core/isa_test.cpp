// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/isa.h"

#include <gtest/gtest.h>

#include <string>

#include "sinew/core/error.h"
#include "sinew/core/report.h"

namespace sinew {
namespace {

class IsaTest : public ::testing::Test {
 protected:
  ~IsaTest() override { set_isa("best"); }
};

TEST_F(IsaTest, EveryProcessorHasTheBaselineAndUsesItsBest) {
  ASSERT_FALSE(supported_isas().empty());
  EXPECT_EQ(supported_isas().front(), Isa::kBaseline);
  EXPECT_EQ(current_isa(), supported_isas().back());
  EXPECT_FALSE(isa_is_pinned());
}

TEST_F(IsaTest, APinHoldsUntilItIsRemovedAndReportsNameIt) {
  for (const Isa isa : supported_isas()) {
    set_isa(isa_name(isa));
    EXPECT_TRUE(isa_is_pinned());
    EXPECT_EQ(current_isa(), isa);
    EXPECT_EQ(Report().to_json()["isa"], isa_name(isa));
  }
  set_isa("");
  EXPECT_FALSE(isa_is_pinned());
  EXPECT_EQ(current_isa(), supported_isas().back());
}

TEST_F(IsaTest, AnUnknownWordIsRefusedAndChangesNothing) {
  set_isa("baseline");
  try {
    set_isa("avx22");
    FAIL();
  } catch (const Error& problem) {
    EXPECT_EQ(
        std::string(problem.what()),
        "Unknown instruction set 'avx22'; available: baseline, ssse3, sse4, avx2, avx3, best. Did you mean 'avx2'?");
  }
  EXPECT_EQ(current_isa(), Isa::kBaseline);
}

}  // namespace
}  // namespace sinew
