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

struct CheckOptions {
  std::string profile = "game";
  std::string baseline;
  std::string sarif;
  std::string sheet;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("profile", "The limits: game, vrm, film, strict, or a JSON file.").as("NAME|FILE"), self.profile);
    v(Field("baseline", "An earlier version of the character. A check fails if it is worse than there.").as("FILE"),
      self.baseline);
    v(Field("sarif", "Also write the findings as SARIF, for code review tools.").as("FILE"), self.sarif);
    v(Field("sheet", "Also draw the worst faults, posed and marked red.").as("FILE.png"), self.sheet);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Decides whether characters can be published (`pipeline::check`). The status is that of the worst file. \throws Error
/// if the profile, the baseline or an output is wrong; a character that cannot be read is a row of the report.
Report check(const JobRequest& request, const CheckOptions& options, const Progress& progress);

}  // namespace sinew::jobs
