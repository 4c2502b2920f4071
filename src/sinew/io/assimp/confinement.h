// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Takes rights away from a process that reads a stranger's file, so that a fault in a reader gives little to whoever
/// made the file.

#include <filesystem>

namespace sinew::io {

/// What the kernel took away.
struct Confinement {
  bool files = false;  ///< By Landlock (Linux 5.13 and later): files outside the folder, and all writing.
  bool calls = false;  ///< By seccomp: the network, other programs and other processes.
};

/// Confines the calling thread, and all that it starts, for the rest of its life. Afterwards it can open files for
/// reading in `folder` and below; everywhere if the folder is empty. It can open no file for writing, no socket, and
/// start no program. Descriptors that are already open stay as they are. Where the kernel lacks one of the two means,
/// the other is still used.
Confinement confine_reader(const std::filesystem::path& folder);

}  // namespace sinew::io
