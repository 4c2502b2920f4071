// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"
#include "sinew/shapes/made.h"

namespace sinew::jobs {

struct MakeOptions {
  shapes::MakeOptions shape;
  std::string with = "weights";
  std::string truth;  ///< Empty for none.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    shapes::MakeOptions::visit(self.shape, v);
    v(Field("with", "What to write: the mesh alone, also the skeleton (all weights on its root), or also the weights.")
          .one_of({"mesh", "skeleton", "weights"}),
      self.with);
    v(Field("truth",
            "Also write the ground truth to this file: the skeleton, and the owner and weights of every vertex.")
          .as("FILE.json"),
      self.truth);
  }
};

/// Makes a character from nothing. The request's only input is not a file but a kind of `shapes::kinds()`. The output
/// is `KIND.glb` unless named; it and the truth are written together or not at all. \throws Error if the kind is
/// unknown, an option does not fit it, or a file cannot be written.
Report make(const JobRequest& request, const MakeOptions& options, const Progress& progress);

}  // namespace sinew::jobs
