// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct WeightsOptions {
  bool repair = false;
  bool fill = false;
  std::string mirror;
  bool symmetrize = false;
  std::optional<int> smooth;
  std::optional<double> prune;
  int max_influences = 0;
  std::vector<std::string> lock;
  std::string compare;
  bool dry_run = false;
  std::vector<std::string> order;  ///< Operations as they were written; those it does not name come last, as above.

  static std::vector<std::string> operations() { return {"repair", "fill", "mirror", "symmetrize", "smooth", "prune"}; }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("repair", "Find and mend rows that are empty, no numbers, of a wrong sum, bleeding or astray; no others."),
      self.repair);
    v(Field("fill", "Solve rows that are missing from those round them."), self.fill);
    v(Field("mirror", "Give one side the weights of the other.").one_of({"", "left-to-right", "right-to-left"}),
      self.mirror);
    v(Field("symmetrize", "Make both sides their mean, about the mesh's own plane."), self.symmetrize);
    v(Field("smooth", "Rounds in which weights are evened out along the surface.").range(1, 1000), self.smooth);
    v(Field("prune", "Drop weights below this share.").range(0, 0.5), self.prune);
    v(Field("max_influences",
            "Most joints that may move one vertex, cut at the end without jumps; 0 for as many as the file has.")
          .range(0, 64),
      self.max_influences);
    v(Field("lock", "Joints whose weights do not change.").as("JOINT,…"), self.lock);
    v(Field("compare", "Tell how well the weights agree with those of another file.").as("FILE"), self.compare);
    v(Field("dry_run", "Tell what would change per joint, and write nothing."), self.dry_run);
    v(Field("order", "Operations in the order in which they run; without it as they are written.")
          .as("NAME,…")
          .one_of(operations()),
      self.order);
  }
};

/// Edits the weights of a file: the operations asked for, in the order written; then rows are cut to `max_influences`
/// and scaled to sum 1. All else in the file stays, and so do the weights of vertices that nothing changed. The output
/// is `NAME_weights.glb` (or `.gltf`, `.vrm`, `.rig.json`, as the input) unless named. With `--compare` alone nothing
/// is written. \throws Error if there is nothing to do, no weights, no good row to go by, an unknown joint, no mirror
/// plane, or the output cannot be written; then nothing is.
Report weights(const JobRequest& request, const WeightsOptions& options, const Progress& progress);

}  // namespace sinew::jobs
