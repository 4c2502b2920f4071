// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What `sinew rig` prints and puts into its report.

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/rig.h"

namespace sinew::jobs {

/// The files that were read and the mesh in them.
void report_input(const std::vector<std::filesystem::path>& inputs, const io::Asset& asset, Report& report);

/// The template, where the weights come from, the rest pose, the clips, and a table of the joints. The status is
/// incomplete if the result is doubtful.
void report_result(const pipeline::RigResult& result, bool carries_clips, Report& report);

/// The seconds of each stage, as a line of text.
std::string times_text(const Report& report);

}  // namespace sinew::jobs
