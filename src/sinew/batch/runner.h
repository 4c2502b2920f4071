// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <filesystem>

#include "sinew/batch/manifest.h"
#include "sinew/core/progress.h"

namespace sinew::batch {

struct RunSettings {
  std::filesystem::path program;  ///< What runs the steps.
  int processes = 1;              ///< At the same time.
  int threads = 1;                ///< Of each.
  std::size_t index = 0, of = 1;  ///< Only every `of`-th row, from `index` on.
  double stale_s = 120;           ///< See `Claims`.
  bool thumbnails = true;         ///< A picture of each result.
};

struct RunCounts {
  std::size_t done = 0;     ///< By this process.
  std::size_t skipped = 0;  ///< That were done before.
  std::size_t held = 0;     ///< That other processes work on.
};

/// Runs all rows that nobody has done and nobody works on. Memory does not grow with the number of rows, apart from
/// their names. \throws Error if the folder cannot be written; Cancelled, with all processes ended and all claims given
/// back.
RunCounts run_rows(const Manifest& manifest, const BatchFolder& folder, const RunSettings& settings,
                   const Progress& progress = {});

/// Whether there is a result of the row for this recipe and these bytes of its input, and its files are there.
bool is_done(const BatchFolder& folder, const Row& row, const std::string& key);

}  // namespace sinew::batch
