// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/edit_skeleton.h"

namespace sinew::jobs {

struct SkeletonJobOptions {
  pipeline::SkeletonOptions skeleton;  ///< All but `preset`, which may be a file.
  std::string preset;                  ///< Empty for none.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field(
          "preset",
          "Names, hierarchy and joint axes for a target program: plain, blender, rigify, unity, unreal, godot, mixamo, "
          "vrm, maya, or a JSON file.")
          .as("NAME|FILE"),
      self.preset);
    pipeline::SkeletonOptions::visit(self.skeleton, v);
  }
};

/// Shows which part of the body each joint is, and edits the skeleton; see `pipeline::edit_skeleton`. Without an edit
/// nothing is written. The output is `NAME_skeleton.glb` unless it is named. \throws Error if the character has no
/// skeleton, an edit is not possible or the output cannot hold a skeleton; then nothing is written.
Report skeleton(const JobRequest& request, const SkeletonJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
