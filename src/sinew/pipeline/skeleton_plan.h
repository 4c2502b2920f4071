// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// An existing skeleton as the plan of one, for what rigging does with plans: standard poses and joint axes.

#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::pipeline {

/// All joints, in their order, with the roles that were recognized.
rigging::SkeletonPlan plan_of_skeleton(const Skeleton& skeleton, const motion::Recognition& roles);

/// Only the joints that have a role; the parent of each is the nearest of them above. `joints` gets their numbers.
rigging::SkeletonPlan plan_of_roles(const Skeleton& skeleton, const motion::Recognition& roles,
                                    std::vector<Index>& joints);

}  // namespace sinew::pipeline
