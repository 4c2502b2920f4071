// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The results of a batch as files: `results.jsonl`, `summary.csv`, `index.html` (worst first), and `timing.csv`. All
/// but the last are the same bytes however the rows were run.

#include <array>
#include <cstddef>
#include <string>

#include "sinew/batch/manifest.h"
#include "sinew/core/progress.h"

namespace sinew::batch {

struct Summary {
  std::array<std::size_t, 5> by_severity = {};  ///< See `severity_of`.
  std::size_t missing = 0;                      ///< Rows without a result.
  std::vector<std::string> files;               ///< That were written.

  bool all_good() const { return missing == 0 && by_severity[2] + by_severity[3] + by_severity[4] == 0; }
};

/// Reads the results one by one and writes the files. \throws Error if they cannot be written.
Summary summarize(const Manifest& manifest, const BatchFolder& folder, const Progress& progress = {});

/// Text with the characters that mean something in HTML replaced.
std::string html_text(std::string_view text);

}  // namespace sinew::batch
