// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"
#include "sinew/shapes/mannequin.h"

namespace sinew::jobs {

struct MakeOptions {
  shapes::MannequinOptions mannequin;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    shapes::MannequinOptions::visit(self.mannequin, v);
  }
};

/// Makes a character from nothing. The request's only input is not a file but its kind: "mannequin". The output is
/// `KIND.glb` unless named. \throws Error if the kind is unknown or the output cannot be written.
Report make(const JobRequest& request, const MakeOptions& options, const Progress& progress);

}  // namespace sinew::jobs
