// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <optional>
#include <string>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/core/template.h"
#include "sinew/rigging/rigger.h"

namespace sinew::transfer {

/// How a template is located in a mesh.
struct TemplatePlan {
  std::optional<rigging::PlanResult> plan;
  std::string problem;  ///< Why there is no plan: a sentence. Empty if there is one.
};

/// Locates a template in a mesh. A mesh that encloses nothing, or that the template does not fit, has no plan.
/// \throws Cancelled.
TemplatePlan plan_template(const Mesh& mesh, const Template& skeleton_template, const rigging::RiggerOptions& options,
                           const Progress& progress);

/// How templates are located in the mesh of one reference, kept by their names for the next target.
class TemplatePlans {
 public:
  const TemplatePlan& of(const Mesh& reference, const Template& skeleton_template, const Progress& progress);

 private:
  std::map<std::string, TemplatePlan> plans_;
};

}  // namespace sinew::transfer
