// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/job_bar.h"

#include <gtest/gtest.h>

namespace sinew::studio {
namespace {

TEST(JobBar, TasksThatEndMoveItToTheEndOfTheirShareOnly) {
  JobBar bar;
  bar.enter(0, 0.1);
  EXPECT_DOUBLE_EQ(bar.report(0.5), 0.05);
  EXPECT_DOUBLE_EQ(bar.report(1), 0.1);
  EXPECT_DOUBLE_EQ(bar.report(0), 0.1) << "the next task begins at 0 again";
  for (const char* stage : {"inside", "search", "joints", "details", "bind"}) {
    bar.enter_stage(stage);
    EXPECT_LT(bar.report(1), 1) << stage << " is not the last one";
  }
  bar.enter_stage("finish");
  EXPECT_DOUBLE_EQ(bar.report(1), 1);
}

TEST(JobBar, NeverGoesBack) {
  JobBar bar;
  double last = 0;
  // A body without its props is searched a second time.
  for (const char* stage : {"inside", "search", "joints", "inside", "search", "unknown", "joints", "bind"}) {
    bar.enter_stage(stage);
    for (const double fraction : {0.0, 0.5, 1.0, 2.0, -1.0}) {
      const double now = bar.report(fraction);
      EXPECT_GE(now, last);
      EXPECT_LE(now, 1);
      last = now;
    }
  }
}

TEST(JobBar, AJobWithoutStagesIsOneShare) {
  JobBar bar;
  EXPECT_DOUBLE_EQ(bar.report(0.25), 0.25);
  EXPECT_DOUBLE_EQ(bar.report(1), 1);
}

}  // namespace
}  // namespace sinew::studio
