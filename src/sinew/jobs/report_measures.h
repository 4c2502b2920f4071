// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The figures of `measure` for the page of a report: over one clip of the character, at a few frames.

#include <string>

#include "sinew/core/character.h"
#include "sinew/core/json.h"
#include "sinew/core/progress.h"

namespace sinew::jobs {

/// Measures the clip named `preferred`, or the first one if there is none of that name, by linear blend skinning, which
/// is what the page shows. The result has
///
/// - `page`: what web/src/report/data.ts describes as `Measures`, with the figures of each joint frame by frame;
/// - `summary`: the figures for the JSON report.
///
/// Both have only a `reason` if the character cannot be measured. \throws Cancelled.
struct ReportMeasures {
  Json page, summary;
};
ReportMeasures measure_for_report(const Character& character, const std::string& preferred, const Progress& progress);

}  // namespace sinew::jobs
