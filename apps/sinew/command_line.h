// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/jobs/job.h"

namespace sinew::app {

/// What every command understands beside its own options.
struct CommonFlags {
  bool json = false;
  bool quiet = false;
  bool strict = false;
  int threads = 0;
  std::string config;
};

/// What was asked on the command line.
struct CommandLine {
  enum class Ask { kRun, kHelp, kVersion };

  Ask ask = Ask::kRun;
  std::string command;  ///< Empty for the help of the whole program.
  CommonFlags common;
  jobs::JobRequest request;
  /// Names and words of the options that were given, in their order.
  std::vector<std::pair<std::string, std::string>> options;
};

/// Reads the words of the command line. `common` is filled as far as the words could be understood, also when it
/// throws, so that the caller knows how to tell the error. \throws Error with a sentence, and the nearest word that
/// there is.
CommandLine parse_command_line(int argc, const char* const* argv, CommonFlags& common);

/// Sets the options: those of the configuration file first, then those of the command line. A command with an option
/// `order` learns from it in which order the flags that it lists were written.
void apply_options(const CommandLine& line, jobs::BoundCommand& command);

}  // namespace sinew::app
