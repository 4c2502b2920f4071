// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/edit_weights.h"

namespace sinew::jobs {

struct WeightsOptions {
  pipeline::EditWeightsOptions edit;
  std::string compare;
  bool dry_run = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    pipeline::EditWeightsOptions::visit(self.edit, v);
    v(Field("compare", "Report how well the weights agree with those of another file.").as("FILE"), self.compare);
    v(Field("dry_run", "Report what would change for each joint, and write nothing."), self.dry_run);
  }
};

/// Edits the weights of a file (`pipeline::edit_weights`), in the order in which operations are written. All else in
/// the file stays. The output is `NAME_weights.glb` (or `.gltf`, `.vrm`, as the input) unless named. With `--compare`
/// alone nothing is written. \throws Error if there is nothing to do, as `edit_weights` does, or if the output cannot
/// be written; then nothing is.
Report weights(const JobRequest& request, const WeightsOptions& options, const Progress& progress);

}  // namespace sinew::jobs
