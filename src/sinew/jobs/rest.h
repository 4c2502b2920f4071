// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct RestOptions {
  std::string to = "t";

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field(
          "to",
          "The new rest and bind pose: t (arms level), a (arms 45° down), rest (as the joints rest now), bind (as the "
          "skin was bound), a pose file (JSON), or another file of the character (as its joints rest).")
          .as("t|a|rest|bind|FILE"),
      self.to);
  }
};

/// Gives a character another rest pose, which is also its bind pose; see `pipeline::set_rest`. The output is
/// `NAME_rest.glb` unless it is named. \throws Error if the character has no skeleton, the pose cannot be read or made,
/// or the output cannot hold a skeleton; then nothing is written.
Report rest(const JobRequest& request, const RestOptions& options, const Progress& progress);

}  // namespace sinew::jobs
