// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The progress bar of one job of the studio.

#include <string_view>

namespace sinew::studio {

/// The tasks of a job report fractions of their own, one after another, and each ends at 1. Taken as they are, the bar
/// of a mesh that is opened was full after a fifth of the time. The stages of rigging are known, so each has its share
/// of the bar here, and what tasks report moves it within the share. A bar never goes back.
class JobBar {
 public:
  /// What follows fills this share of the bar.
  void enter(double begin, double end);

  /// Enters the share of a stage of `rigging::plan_skeleton` and of what follows it; other stages change nothing.
  void enter_stage(std::string_view stage);

  /// What a task reports, from 0 to 1. Returns how full the bar is.
  double report(double fraction);

 private:
  double begin_ = 0, end_ = 1;
  double full_ = 0;
};

}  // namespace sinew::studio
