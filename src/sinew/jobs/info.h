// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/inspect.h"

namespace sinew::jobs {

struct InfoOptions {
  pipeline::InspectOptions inspect;
  bool full = false;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    pipeline::InspectOptions::visit(self.inspect, v);
    v(Field("full", "Show every joint, part and clip, however many there are."), self.full);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Reports what a file contains and how healthy it is (`pipeline::inspect`): a summary in `text`, everything in
/// `metrics`. docs/commands/info.md lists the codes of warnings. \throws Error if the file cannot be read.
Report info(const JobRequest& request, const InfoOptions& options, const Progress& progress);

}  // namespace sinew::jobs
