// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// How a body stands in its file, and how tall it is.

#include <string>

#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/rig.h"

namespace sinew::studio {

/// Whether a body is turned to stand along +y and face +z, as engines expect of glTF: `stand` is "on", "off" or "auto".
/// "auto" turns bodies with legs whose orientation is sure, unless the user has stated the axes. A body that is not
/// turned although it lies or faces another way gives a warning.
bool turns_to_stand(const rigging::PlanResult& found, const std::string& stand, const io::PlacementOptions& placement,
                    Report& report);

/// Turns the asset and the plan, and returns the transform. Adds a note to the report.
Mat4 stand_up(io::Asset& asset, pipeline::RigPlan& plan, Report& report);

/// Adds a warning if the body is larger or smaller than its kind is, with the unit that its file probably has.
void check_size(const rigging::SkeletonPlan& plan, const Mesh& mesh, Report& report);

}  // namespace sinew::studio
