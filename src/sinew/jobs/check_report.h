// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What `check` prints and writes.

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/pipeline/check/check.h"

namespace sinew::jobs {

/// One file of `check`.
struct CheckedFile {
  std::filesystem::path path;
  std::string error;  ///< Why it could not be read; empty otherwise.
  pipeline::CheckResult result;

  /// "PASS", "CHECK", "FAIL" or "UNREADABLE".
  std::string verdict() const;
};

/// The command that mends a row; empty if there is none.
std::string mend_command(const pipeline::CheckRow& row, const std::filesystem::path& file);

std::string check_text(const CheckedFile& file);
Json check_json(const CheckedFile& file);
/// SARIF 2.1.0: one result per check that does not pass.
Json sarif_json(const std::vector<CheckedFile>& files);

}  // namespace sinew::jobs
