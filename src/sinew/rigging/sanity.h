// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// A proportion of a planned skeleton that artists' skeletons do not have.
struct ImplausibleProportion {
  std::string what;  ///< Such as "thigh height".
  double value = 0, least = 0, most = 0;
  std::vector<Index> joints;  ///< Of the plan: those that decide it.
};

struct SanityResult {
  int checked = 0;  ///< Number of proportions that could be measured.
  std::vector<ImplausibleProportion> implausible;
};

/// Compares the proportions of a plan with bounds that 57 skeletons made by artists satisfy: heights, lengths and
/// distances of the joints of people and of quadrupeds, relative to the size of the body, and between its sides. A
/// right result for an unusual body may miss one or two bounds; wrong ones usually miss several. Plans of other
/// templates have nothing that can be checked. Linear in the vertices.
SanityResult check_proportions(const SkeletonPlan& plan, const Mesh& mesh);

/// The largest confidence that a plan with that result may have.
double most_confidence(const SanityResult& sanity);

}  // namespace sinew::rigging
