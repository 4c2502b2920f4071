// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Small pieces of sentences that errors, warnings and reports share.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// The word of `known` nearest to `word` by edit distance if it is near enough to be meant; else empty.
std::string closest_word(std::string_view word, const std::vector<std::string>& known);

/// " Did you mean 'lbs'?" with the nearest word of `known`, or an empty string if no word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// "Unknown deformer 'lsb'; available: lbs, dqs. Did you mean 'lbs'?"
std::string unknown_word(std::string_view kind, std::string_view word, const std::vector<std::string>& known);

/// "1 vertex", "2 vertices": the noun with an s, or `plural` where it is irregular.
std::string count_of(std::uint64_t count, std::string_view noun, std::string_view plural = {});

/// Joined by commas; of more than `most` the first ones and " and 12 more".
std::string join_some(const std::vector<std::string>& words, std::size_t most = 8);

/// The text with ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// "1.2 MB"
std::string bytes_text(std::uint64_t bytes);

}  // namespace sinew
