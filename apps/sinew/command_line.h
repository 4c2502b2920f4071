// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sinew/jobs/job.h"

namespace sinew::app {

/// Options that every command understands beside its own.
struct CommonFlags {
  bool json = false;
  bool quiet = false;
  bool strict = false;
  bool allow_outside = false;
  int threads = 0;
  std::string config;
  std::string textures;
};

/// What the command line requests.
struct CommandLine {
  enum class Ask { kRun, kHelp, kHelpMarkdown, kVersion };

  Ask ask = Ask::kRun;
  std::string command;  ///< Empty for the help of the whole program.
  CommonFlags common;
  jobs::JobRequest request;
  /// The command with the methods chosen and, for `kRun`, all options set. Null without a command.
  std::unique_ptr<jobs::BoundCommand> bound;
  bool names_method = false;  ///< The words choose a method.
};

/// Reads the words of the command line. Only the options of the requested command are built. Its methods are chosen
/// first, by the words or else the configuration file, since they bring options of their own. Then the options of the
/// configuration file are set, then those of the words; a command with an option `order` learns in which order the
/// flags that it lists were written.
///
/// `common` is filled as far as the words are understood, also when an error is thrown, so that the caller knows how to
/// report it. \throws Error with a sentence and the nearest known word.
CommandLine parse_command_line(int argc, const char* const* argv, CommonFlags& common);

/// The text with "option 'max_influences'", as the library names options, turned into "option '--max-influences'".
std::string with_flags(std::string text);

}  // namespace sinew::app
