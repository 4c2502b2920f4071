// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct ReportOptions {
  std::string profile = "game";
  std::string title;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("profile", "The limits: game, vrm, film, strict, or a JSON file.").as("NAME|FILE"), self.profile);
    v(Field("title", "The title of the page. Default: the names of the files.").as("TEXT"), self.title);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Writes a page that shows characters side by side, with their clips and checks: one file that opens from disk.
/// \throws Error if a file cannot be read or the page cannot be written.
Report report(const JobRequest& request, const ReportOptions& options, const Progress& progress);

}  // namespace sinew::jobs
