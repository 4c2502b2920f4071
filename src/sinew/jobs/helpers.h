// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/add_helpers.h"

namespace sinew::jobs {

/// Adds helper joints to the character of a file (`pipeline::add_helpers`). Materials and textures stay. The output is
/// `NAME_helpers.glb` (or `.gltf`, `.vrm`, `.rig.json`, as the input) unless the request names one. \throws Error as
/// `pipeline::add_helpers`, or if a file cannot be read or written; then nothing is written.
Report helpers(const JobRequest& request, const pipeline::HelpersOptions& options, const Progress& progress);

}  // namespace sinew::jobs
