// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"
#include "sinew/lab/experiments.h"

namespace sinew::jobs {

/// Runs an experiment of a paper again and prints its tables beside ours. The request's only input is not a file but an
/// experiment of `experiments()`. With an output the tables are written too, as Markdown or as CSV by its ending. A
/// figure outside its bounds is a warning, and the report's status is incomplete. \throws Error if the experiment is
/// unknown, or the output is not a table or cannot be written.
Report reproduce(const JobRequest& request, const lab::ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::jobs
