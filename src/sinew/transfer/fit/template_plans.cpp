// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/fit/template_plans.h"

#include "sinew/core/error.h"

namespace sinew::transfer {

TemplatePlan plan_template(const Mesh& mesh, const Template& skeleton_template, const rigging::RiggerOptions& options,
                           const Progress& progress) {
  rigging::RiggerRequest request;
  request.templates = {skeleton_template};
  try {
    TemplatePlan result{rigging::plan_skeleton(mesh, request, options, progress), ""};
    if (!result.plan->fits) return {std::nullopt, "It does not fit the mesh."};
    return result;
  } catch (const Error& problem) {
    return {std::nullopt, problem.what()};
  }
}

const TemplatePlan& TemplatePlans::of(const Mesh& reference, const Template& skeleton_template,
                                      const Progress& progress) {
  const auto kept = plans_.find(skeleton_template.name);
  if (kept != plans_.end()) return kept->second;
  return plans_.emplace(skeleton_template.name, plan_template(reference, skeleton_template, {}, progress))
      .first->second;
}

}  // namespace sinew::transfer
