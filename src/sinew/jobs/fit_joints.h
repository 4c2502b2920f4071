// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/jobs/job.h"
#include "sinew/pipeline/fit_joints.h"

namespace sinew::jobs {

struct FitJointsJobOptions {
  pipeline::FitJointsOptions fit;
  std::string parts, edited_parts;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    pipeline::FitJointsOptions::visit(self.fit, v);
    v(Field("parts", "Also write the closed mesh of every part to this folder, as JOINT.obj.").as("DIR"), self.parts);
    v(Field("edited_parts", "Folder with meshes of parts that were edited; joints with a mesh there get its shape.")
          .as("DIR"),
      self.edited_parts);
  }
};

/// Shapes parts at joints; writes a glTF file that holds the shapes, or a `.json` file of samples. \throws Error if the
/// input has no weights or a file cannot be written; then nothing is written.
Report fit_joints(const JobRequest& request, const FitJointsJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
