// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sinew {

/// JSON that keeps the order of its keys, so that files are written in the order in which they were read.
using Json = nlohmann::ordered_json;

/// Real files nest about ten deep. A million brackets would overflow the stack of whoever parses or walks the tree.
inline constexpr int kMaxJsonDepth = 256;

/// \throws Error if brackets are nested more than `kMaxJsonDepth` deep. Called before any text from outside is parsed.
void check_json_depth(std::string_view text);

/// Parses text from outside. Returns a discarded value (`is_discarded()`) if the text is not JSON.
/// \throws Error if it is nested too deeply.
Json parse_json_text(std::string_view text);

/// JSON as text for files and people: indented, with a new line at the end. What is not UTF-8 is replaced.
std::string json_text(const Json& json);

}  // namespace sinew
