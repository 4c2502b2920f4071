// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "command_line.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"

namespace sinew::app {

/// Writes text to standard output at once. \throws Error if it cannot be written; a reader that went away is no error.
void print_out(const std::string& text);

/// Writes a line to standard error.
void print_error(const std::string& line);

/// A report as `common` asks for it: text, warnings and the next command, or JSON.
void print_report(const Report& report, const CommonFlags& common);

/// The JSON that takes a report's place when there is none: `kind` is "request", "internal" or "cancelled".
std::string failure_json(const std::string& command, const std::string& kind, const std::string& text);

/// Shows progress on standard error if that is a terminal and nobody asked for silence.
Progress make_progress(const CommonFlags& common);

/// Removes the line of progress.
void end_progress();

}  // namespace sinew::app
