// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"

namespace sinew::app {

/// All commands, by groups, one line each.
std::string program_help();

/// One command: its arguments, its options and those of the chosen methods with unit, range, choices and default, the
/// methods it can use, and examples.
std::string command_help(const std::string& command, const OptionList& options);

/// The options of the command, or those of its chosen method, as a table in Markdown for the documentation.
std::string options_markdown(const OptionList& options, bool of_method);

}  // namespace sinew::app
