// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/skeleton.h"

namespace sinew::motion {

/// The correspondence between the joints of two skeletons of one body.
struct JointPairs {
  std::vector<Index> partner;  ///< Per old joint: the new one that replaces it, or kNone. No new joint occurs twice.
  std::vector<Index> source;   ///< Per new joint: the old one whose motion it takes, or kNone. Old ones may repeat.
};

/// Pairs by role (`recognize` for the old joints; new joints state theirs), then by name. Joints of spine and chest
/// without a partner of their role take the motion of the one at the same share of the trunk's height.
JointPairs pair_joints(const Skeleton& old_skeleton, const Skeleton& new_skeleton);

}  // namespace sinew::motion
