// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

namespace sinew::app {

/// The whole program: reads the command line, calls a job, prints its report. Returns the exit code; the codes are in
/// docs/commands/exit-codes-and-reports.md.
int program(int argc, const char* const* argv);

}  // namespace sinew::app
