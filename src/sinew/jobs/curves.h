// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/curves.h"

namespace sinew::jobs {

struct CurvesJobOptions {
  pipeline::CurvesOptions curves;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    pipeline::CurvesOptions::visit(self.curves, v);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Writes the curves of a mesh: `.json` holds points, centres and chains; a file of a character is painted, with the
/// middle lines as its skeleton. \throws Error if there is no mesh or the file cannot be written.
Report curves(const JobRequest& request, const CurvesJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
