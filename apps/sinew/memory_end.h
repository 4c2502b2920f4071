// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

namespace sinew::app {

/// The two ends of a run whose memory runs out, as people and machines read them.
inline constexpr const char* kNoMemoryWroteNothing = "There is not enough memory for this. Nothing was written.";
inline constexpr const char* kNoMemoryWroteFiles =
    "There is not enough memory to go on. The files that were written before are complete.";

/// From now on an allocation that fails where nothing can be thrown ends the program like one elsewhere: temporary
/// files are removed, a sentence is printed, and the exit code is one of the two, depending on whether files were put
/// into place. The destructor of a JSON value is such a place: it moves what the value holds into a vector. Without
/// this, the C++ library ends the program with a signal.
void end_well_without_memory(int wrote_nothing, int wrote_files);

/// The program is done and has this exit code, also if memory runs out in a destructor at exit.
void set_finished(int code);

/// Also prints these texts to standard output: what `--json` prints at either end.
void set_memory_end_json(const std::string& wrote_nothing, const std::string& wrote_files);

}  // namespace sinew::app
