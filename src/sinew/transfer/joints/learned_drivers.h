// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"

namespace sinew::transfer {

/// A driver that was learned, and how well it repeats the examples it was not learned from.
struct LearnedDriver {
  std::optional<Driver> driver;  ///< Absent if no joint near by explains the motion, or if there is none.
  double motion_rad = 0;         ///< Root mean square of the joint's rotation from rest.
  double error_rad = 0;          ///< The same of what the driver leaves, on every second example.
};

/// Learns what drives a joint from examples of poses, such as those of its character's own clips. Engines export twist
/// joints without the rule that moved them.
///
/// Sources are the joints around it that are not marked in `driven`: the nearest above, those next to that, and their
/// children. Their rotations are relative to the nearest joint above that is not marked, because a body that gets the
/// joint has no marked joint within its limbs: the forearm of a split upper arm counts from the upper arm. For each
/// source a share of its rotation is fitted by least squares, a share of its twist about the axis that the joint itself
/// rotates about most, and a polynomial of degree 2 of its rotation vector (with translations if the joint has any).
/// The simplest kind that leaves at most a tenth of the motion, or one degree, is chosen; otherwise the best one if it
/// leaves at most half. Fitted on every second example, judged on the others. Examples × sources. \pre all poses have a
/// transform for each joint.
LearnedDriver learned_driver(const Skeleton& skeleton, Index joint, const std::vector<char>& driven,
                             const std::vector<Pose>& examples);

}  // namespace sinew::transfer
