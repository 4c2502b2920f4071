// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>
#include <string>

#include "sinew/batch/manifest.h"
#include "sinew/core/progress.h"

namespace sinew::batch {

/// The script of an array job of `tasks` tasks: each runs every `tasks`-th row of the manifest, and may be requeued.
std::string slurm_script(const BatchFolder& folder, const std::filesystem::path& program, std::size_t tasks,
                         const std::string& partition);

/// Writes the script, submits it and waits until the job has ended. Returns whether Slurm reports success. \throws
/// Error if `sbatch` is not there or refuses; Cancelled, after the job has been cancelled.
bool run_on_slurm(const BatchFolder& folder, const std::string& script, const Progress& progress = {});

}  // namespace sinew::batch
