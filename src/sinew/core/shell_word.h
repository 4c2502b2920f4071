// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

namespace sinew {

/// A text as one word of a command line, quoted where a shell would split or expand it.
std::string shell_word(const std::string& text);

}  // namespace sinew
