// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/template.h"

namespace sinew::rigging {

/// A template in another pose, for the search: penalties compare directions with those of the template.
struct PoseVariant {
  std::string name;
  Template skeleton_template;
};

/// Common poses of a template that stands upright and has two arms and two legs: arms down, arms forward, arms up, a
/// step, sitting. Empty for other templates.
std::vector<PoseVariant> pose_variants(const Template& skeleton_template);

}  // namespace sinew::rigging
