// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/jobs/mcp.h"
#include "sinew/mcp/protocol.h"

namespace sinew::jobs {

/// The folders in which tools may read and write. Relative paths begin at the first.
class McpFolders {
 public:
  /// \throws Error if one is not a folder.
  explicit McpFolders(const std::vector<std::filesystem::path>& folders);

  const std::filesystem::path& first() const { return folders_.front(); }
  /// The path with all links resolved. \throws Error if it is outside.
  std::filesystem::path inside(const std::string& path) const;
  /// Checks every text in `json` that can be a path. \throws Error if one is outside.
  void require_inside(const Json& json) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

/// The commands as tools, each run in a process of its own.
std::vector<mcp::Tool> mcp_tools(const McpFolders& folders, const McpOptions& options);

}  // namespace sinew::jobs
