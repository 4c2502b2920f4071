// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A headless Chromium as a helper program: it opens a page from a folder and prints what became of it.

#include <filesystem>
#include <string>
#include <string_view>

#include "sinew/core/progress.h"

namespace sinew::picture {

/// A new folder for temporary files, removed with all that is in it when the object goes.
class ScratchFolder {
 public:
  /// \throws Error if there is no place for temporary files.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Chromium, or a browser built from it: what the variable SINEW_CHROMIUM names, else the first known name on the PATH.
/// \throws Error that names the package to install.
std::filesystem::path find_browser();

struct PageRun {
  std::filesystem::path page;     ///< An HTML file.
  std::filesystem::path scratch;  ///< Where the browser keeps its profile and temporary files.
  std::string end;                ///< The browser is stopped when its output holds this; it need not end by itself.
  double limit_s = 60;
};

/// Opens the page, waits for its load event and returns the text of its elements as the browser prints them. Scripts
/// that run in the load event have finished by then. The browser runs without network, graphics card, home folder and
/// sandbox, in a process group of its own, of which nothing is left afterwards, whatever happens. \throws Error if the
/// browser cannot be started, ends early or is not done in time; Cancelled.
std::string run_page(const std::filesystem::path& browser, const PageRun& run, const Progress& progress = {});

}  // namespace sinew::picture
