// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

namespace sinew::jobs {

/// Removes what jobs of this process have begun to write. For an end of the process without unwinding; allocates
/// nothing.
void remove_temporary_files() noexcept;

}  // namespace sinew::jobs
