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

struct BatchOptions {
  std::vector<std::string> steps;
  std::string list;
  int processes = 0;
  double row_time = 600;
  double row_memory = 4;
  double memory_budget = 0;
  bool thumbnails = true;
  std::optional<int> index;
  std::optional<int> of;
  bool slurm = false;
  std::string partition;
  double stale_after = 120;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("do",
            "A command to run on each character, without 'sinew'; may be given several times. {in} is the input, {out} "
            "the output without ending, {name} the name of the row.")
          .as("'COMMAND …'")
          .repeated(),
      self.steps);
    v(Field("list", "A text file with one input per line, in addition to those named.").as("FILE"), self.list);
    v(Field("processes", "Rows at the same time; 0 for one per core, as far as the memory allows.").range(0, 1024),
      self.processes);
    v(Field("row_time", "Longest time for a row.").in("s").range(0.1, 1e6), self.row_time);
    v(Field("row_memory", "Most memory of a process.").in("GiB").range(0.1, 4096), self.row_memory);
    v(Field("memory_budget", "Memory of all processes together; 0 for three quarters of the machine's.")
          .in("GiB")
          .range(0, 1e6),
      self.memory_budget);
    v(Field("thumbnails", "Draw a small picture of each result for the table."), self.thumbnails);
    v(Field("index", "Run only this part of the rows, counted from 0.").range(0, 1e6), self.index);
    v(Field("of", "The number of parts; with 'slurm' the number of tasks.").range(1, 1e6), self.of);
    v(Field("slurm", "Submit the parts as an array job of Slurm, wait for it and gather the results."), self.slurm);
    v(Field("partition", "The partition of Slurm.").as("NAME"), self.partition);
    v(Field("stale_after", "Take over a row of another machine if it has not been heard of for so long.")
          .in("s")
          .range(10, 1e6),
      self.stale_after);
  }
};

/// Runs a recipe on many characters. See docs/commands/batch.md. \throws Error if the recipe, an input or the folder is
/// wrong.
Report batch(const JobRequest& request, const BatchOptions& options, const Progress& progress);

}  // namespace sinew::jobs
