// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// A plan whose trunk has `count` joints between the hips and the neck, for programs that expect a number of them. They
/// are spread at equal distances along the line through the trunk's joints; the last one stays the chest, from which
/// arms and neck go on. A plan that has as many or more, or no such trunk, stays as it is.
SkeletonPlan with_trunk_joints(SkeletonPlan plan, int count);

}  // namespace sinew::rigging
