// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sinew/core/error.h"

namespace sinew {
namespace {

TEST(Progress, TellsTheListenerEachStage) {
  std::vector<std::string> heard;
  const Progress progress([&](std::string_view stage, double fraction) {
    heard.push_back(std::string(stage) + " " + std::to_string(static_cast<int>(100 * fraction)));
  });
  progress.step("reading", 0.25);
  progress.step("writing", 1.0);
  EXPECT_EQ(heard, (std::vector<std::string>{"reading 25", "writing 100"}));
}

TEST(Progress, CopiesShareTheWishToStop) {
  const Progress progress;
  const Progress copy = progress;
  EXPECT_NO_THROW(progress.check());
  copy.cancel();
  EXPECT_TRUE(progress.cancelled());
  EXPECT_THROW(progress.check(), Cancelled);
  EXPECT_THROW(progress.step("any"), Cancelled);
}

TEST(Progress, TheFlagOfASignalHandlerIsTheSameFlagAndNeedsNoLock) {
  const Progress progress;
  EXPECT_TRUE(progress.cancel_flag().is_lock_free());
  progress.cancel_flag() = true;
  EXPECT_THROW(progress.check(), Cancelled);
}

TEST(Progress, TwoOfThemDoNotShareAnything) {
  const Progress one, other;
  one.cancel();
  EXPECT_NO_THROW(other.check());
}

TEST(Progress, BeingCancelledIsNotAnErrorOfTheUser) {
  const Progress progress;
  progress.cancel();
  try {
    progress.check();
    FAIL();
  } catch (const Error&) {
    FAIL();
  } catch (const Cancelled&) {
  }
}

}  // namespace
}  // namespace sinew
