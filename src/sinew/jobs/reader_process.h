// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

namespace sinew::jobs {

/// Lets readers that may crash run in this program again, in processes of their own. If the program was started for
/// this, reads one file for its parent and ends. Call it first in `main`.
void use_own_program_as_reader(int argc, const char* const* argv);

}  // namespace sinew::jobs
