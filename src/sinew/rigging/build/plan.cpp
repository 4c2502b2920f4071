// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

Index SkeletonPlan::find_role(const std::string& role) const {
  for (Index j = 0; j < joints.size(); ++j)
    if (joints[j].role == role) return j;
  return kNone;
}

}  // namespace sinew::rigging
