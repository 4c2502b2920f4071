// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/bind.h"

namespace sinew::jobs {

struct BindJobOptions {
  pipeline::BindRequest bind;
  std::string rig;  ///< A NAME.rig.json with the skeleton for a mesh that has none; empty for none.
  bool debug_colors = false;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    pipeline::BindRequest::visit(self.bind, v);
    v(Field("rig", "Read the joints from this .rig.json file.").as("FILE"), self.rig);
    v(Field("debug_colors",
            "Write vertex colours that show how each vertex was bound: one colour per method and reason, darker where "
            "the result is doubtful."),
      self.debug_colors);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Makes new weights for the skeleton in a file (`pipeline::bind`) and writes the file with them: materials, textures
/// and clips stay. The output is `NAME_bound.glb` unless named. The report counts vertices per method and reason,
/// joints without vertices, doubtful vertices, fallbacks. \throws Error as `pipeline::bind` does, or if the output
/// cannot hold weights; then nothing is written.
Report bind(const JobRequest& request, const BindJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
