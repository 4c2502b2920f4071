// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// One target of a transfer, from its file to the file that has the rig.

#include <filesystem>
#include <map>
#include <string>

#include "sinew/jobs/job.h"
#include "sinew/jobs/transfer.h"
#include "sinew/pipeline/transfer_reference.h"

namespace sinew::jobs {

using namespace pipeline;

/// What all targets share.
struct TransferTask {
  const JobRequest& request;
  const TransferJobOptions& options;
  TransferReference& reference;
  std::map<std::string, std::string> given;  ///< By `--map`.
  std::vector<char> only;  ///< Per joint of the reference: named by `--only`, or a helper of one. Empty for all.
};

/// Makes one target and writes it. Appends to the report's text, warnings, fallbacks, outputs and timing, and gives its
/// figures. `table` is the text of the last map that was told, so that the same is not told twice. \throws Error if the
/// target cannot be treated; then nothing is written.
Json transfer_target(const TransferTask& task, const std::filesystem::path& input, const std::filesystem::path& output,
                     std::string& table, Report& report, const Progress& progress);

}  // namespace sinew::jobs
