// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/pipeline/rig_options.h"
#include "sinew/rigging/curves/curve_template.h"
#include "sinew/rigging/rigger.h"

namespace sinew::pipeline {

/// Places the inner joints of limbs again, on curves around the limbs, as the options 'place' and 'posed' request. With
/// `auto`, a joint moves only where a limb bends clearly or where the joint is far from the middle of its limb, and the
/// plan stays as it is if the moved one has a lower score. The metrics have both scores under "place". `auto` does
/// nothing on meshes of more than 50,000 vertices. A plan without a template is replaced by the curves' own skeleton
/// only on request: by a template that fits the curves, or by joints at the bends alone. \throws Error if a posed shape
/// has another number of vertices.
void place_on_curves(rigging::PlanResult& found, const Mesh& mesh, const std::vector<Template>& templates,
                     const RigOptions& options, const Progress& progress);

/// A body whose template was found by its curves alone.
struct CurveBody {
  CurveSet curves;
  Template skeleton_template;
  rigging::CurveTemplateMatch match;
};

/// Looks for the template that fits the curves of a mesh best; body plans are not among them. It also tries fewer tips:
/// fingers hide that an arm is a limb, and ears that a neck is one. Nothing if none fits. \throws Error as
/// `geometry::find_curves`.
std::optional<CurveBody> recognise_on_curves(const Mesh& mesh, const std::vector<Template>& templates,
                                             const Progress& progress = {});

}  // namespace sinew::pipeline
