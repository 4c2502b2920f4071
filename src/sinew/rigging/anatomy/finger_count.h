// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/error.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

struct FewerFingers {
  SkeletonPlan plan;
  /// Per joint of the plan before: the joint of `plan` that takes its weights. A joint that stays takes its own.
  std::vector<Index> takes;
  /// `rig.fewer_fingers` for a hand that has fewer fingers than were requested.
  Findings findings;
};

/// A plan whose hands have at most `count` fingers, with the thumb. Those farthest from the thumb are left out, with
/// what hangs on them; the weights of their joints go to the joints at the same place of the last finger that stays.
/// \pre count is at least 1.
FewerFingers with_finger_count(const SkeletonPlan& plan, Index count);

}  // namespace sinew::rigging
