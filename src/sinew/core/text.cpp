// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sinew {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string closest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    // A word with nothing in common is not a suggestion, however short both are.
    if (distance < best_distance && distance < std::max(word.size(), candidate.size()))
      best = candidate, best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = closest_word(word, known);
  return near.empty() ? "" : fmt::format(" Did you mean '{}'?", near);
}

std::string unknown_word(std::string_view kind, std::string_view word, const std::vector<std::string>& known) {
  return fmt::format("Unknown {} '{}'; available: {}.{}", kind, word, fmt::join(known, ", "),
                     did_you_mean(word, known));
}

std::string count_of(std::uint64_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

std::string join_some(const std::vector<std::string>& words, std::size_t most) {
  const auto shown = std::min(most, words.size());
  std::string text =
      fmt::format("{}", fmt::join(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < words.size()) text += fmt::format(" and {} more", words.size() - shown);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string bytes_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (bytes < 1000000) return fmt::format("{:.1f} kB", number / 1e3);
  if (bytes < 1000000000) return fmt::format("{:.1f} MB", number / 1e6);
  return fmt::format("{:.1f} GB", number / 1e9);
}

}  // namespace sinew
