// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Text in columns for a terminal: a mark, a label, a sentence, nothing wider than 100 columns.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinew::jobs {

/// Columns that UTF-8 text takes; every code point counts as one.
std::size_t columns(std::string_view text);

/// At most `width` columns, with "…" where something was left out. Control characters and line breaks become spaces,
/// and bytes that are not UTF-8 question marks.
std::string shorten(std::string_view text, std::size_t width);

/// Fills up with spaces to `width` columns.
std::string pad(std::string text, std::size_t width);

/// 1234567 as "1,234,567".
std::string group(std::uint64_t number);

class TextColumns {
 public:
  static constexpr std::size_t kWidth = 100;

  void plain(std::string_view text);
  void section(std::string_view title);
  /// `mark` is '!', '+' for a tick, or a space. Long sentences go on below, under their beginning.
  void line(char mark, std::string_view label, std::string_view text);
  void check(bool fine, std::string_view label, std::string_view text) { line(fine ? '+' : '!', label, text); }
  /// A line of a list under the last label.
  void item(std::string_view text);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace sinew::jobs
