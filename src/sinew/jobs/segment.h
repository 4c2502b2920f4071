// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/segment.h"

namespace sinew::jobs {

struct SegmentJobOptions {
  pipeline::SegmentOptions segmentation;
  std::string samples_output;  ///< Empty for none.
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    pipeline::SegmentOptions::visit(self.segmentation, v);
    v(Field("samples_output", "Also write the samples of the method implicit to this file, to be edited and read back.")
          .as("FILE.json"),
      self.samples_output);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Writes which bone owns each vertex: `.json` holds owners and places along bones, a file of a character is painted in
/// the colours of the bones. \throws Error if the input has no skeleton or a file cannot be written; then nothing is
/// written.
Report segment(const JobRequest& request, const SegmentJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
