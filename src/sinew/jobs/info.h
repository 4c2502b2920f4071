// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct InfoOptions {
  bool deep = false;
  bool full = false;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("deep", "Also look for triangles that cut through each other."), self.deep);
    v(Field("full", "Show every joint, part and clip, however many there are."), self.full);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// What is in a file and how healthy it is: `text` to be read at a glance, `metrics` complete. Warnings are only what
/// truly harms; docs/commands/info.md lists their codes. Apart from reading, the time is linear in the mesh (n log n
/// with `deep`). \throws Error if the file cannot be read.
Report info(const JobRequest& request, const InfoOptions& options, const Progress& progress);

}  // namespace sinew::jobs
