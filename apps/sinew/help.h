// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

namespace sinew::app {

/// All commands, by groups, one line each.
std::string program_help();

/// One command: its arguments, its options with unit, range, choices and default, and examples.
std::string command_help(const std::string& command);

}  // namespace sinew::app
