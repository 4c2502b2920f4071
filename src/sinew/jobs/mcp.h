// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct McpOptions {
  double tool_time = 600;
  bool pictures = true;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("tool_time", "Longest time of a call.").in("s").range(1, 1e6), self.tool_time);
    v(Field("pictures", "Answer with a picture of the character that a tool wrote."), self.pictures);
  }
};

/// Serves the Model Context Protocol on standard input and output until the input ends. Tools may only read and write
/// within the given folders. See docs/commands/mcp.md. \throws Error if a folder is not there.
Report mcp(const JobRequest& request, const McpOptions& options, const Progress& progress);

}  // namespace sinew::jobs
