// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/report.h"
#include "sinew/core/skeleton.h"
#include "sinew/rigging/rigger.h"

namespace sinew::jobs {

/// What was found in a mesh: template, confidence, warnings; the status is incomplete where nothing fits. Joints are
/// told by `tell_joints`.
void tell_rigged(const rigging::Rigged& rigged, Report& report);

/// Where each joint came from: a table in the text, and a list in the metrics, by the names they have in the file.
/// `joints`: per joint of the plan, that of the skeleton.
void tell_joints(const rigging::SkeletonPlan& plan, const Skeleton& skeleton, const std::vector<Index>& joints,
                 Report& report);

/// The seconds of each stage, as a line of text.
std::string times_text(const Report& report);

}  // namespace sinew::jobs
