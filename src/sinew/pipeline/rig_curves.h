// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/pipeline/rig_options.h"
#include "sinew/rigging/rigger.h"

namespace sinew::pipeline {

/// Places the inner joints of limbs again, on curves around the limbs, as the options 'place' and 'posed' request. With
/// `auto`, a joint moves only where a limb bends clearly or where the joint is far from the middle of its limb, and the
/// plan stays as it is if the moved one has a lower score. The metrics have both scores under "place". `auto` does
/// nothing on meshes of more than 50,000 vertices. A plan without a template is replaced by the curves' own skeleton
/// only on request. \throws Error if a posed shape has another number of vertices.
void place_on_curves(rigging::PlanResult& found, const Mesh& mesh, const std::vector<Template>& templates,
                     const RigOptions& options, const Progress& progress);

}  // namespace sinew::pipeline
