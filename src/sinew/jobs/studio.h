// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct StudioOptions {
  int port = 0;
  bool no_open = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("port", "Port of the server; 0 takes any free one.").range(0, 65535), self.port);
    v(Field("no_open", "Print the address and open no browser."), self.no_open);
  }
};

/// Serves the studio on 127.0.0.1 until the user stops the program. Files and folders are those that the page may open;
/// a single file is opened at once. \throws Error if a file does not exist, or the port is taken.
Report studio(const JobRequest& request, const StudioOptions& options, const Progress& progress);

}  // namespace sinew::jobs
