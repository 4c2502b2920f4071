// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/mcp.h"

#include <iostream>
#include <string>

#include "sinew/jobs/mcp_tools.h"

namespace sinew::jobs {

Report mcp(const JobRequest& request, const McpOptions& options, const Progress& progress) {
  const McpFolders folders(request.inputs);
  const mcp::Server server(SINEW_VERSION, mcp_tools(folders, options));
  Report report;
  report.command = "mcp";
  std::uint64_t messages = 0;
  for (std::string line; std::getline(std::cin, line); ++messages) {
    progress.check();
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (const auto answer = server.answer(line)) std::cout << *answer << '\n' << std::flush;
  }
  report.metrics["messages"] = messages;
  return report;
}

}  // namespace sinew::jobs
