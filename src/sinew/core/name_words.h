// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Runs of letters and runs of digits, in lower case, without the name space: a capital begins a word unless it follows
/// another and no small letter comes next. "vis:IKHand_L02" is "ik", "hand", "l", "02".
std::vector<std::string> name_words(std::string_view name);

}  // namespace sinew
