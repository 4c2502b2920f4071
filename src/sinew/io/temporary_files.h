// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

namespace sinew::io {

/// Removes the temporary files of all `AtomicFiles` of this process. For an end of the process without unwinding;
/// allocates nothing.
void remove_temporary_files() noexcept;

}  // namespace sinew::io
