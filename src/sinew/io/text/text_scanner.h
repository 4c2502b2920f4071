// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the text formats share: words and numbers of a text with their line, numbers as text, names as UTF-8.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinew::io {

/// What a format allows in its lines.
struct TextRules {
  bool comments = true;        ///< A word that begins with '#' hides the rest of its line.
  bool continuations = false;  ///< A backslash at the end of a line joins it with the next.
};

/// Walks once over a text, word by word and line by line. Lines end with LF, CR or both; blanks and tabs part words.
/// The text must outlive the scanner and the words it gives.
class TextScanner {
 public:
  TextScanner(std::string_view text, std::string file_name, TextRules rules);

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return text_.size() - at_; }
  std::uint64_t line() const { return line_; }

  /// The next word of this line; empty at its end.
  std::string_view word();
  /// The next word, on this line or a later one; empty at the end of the text.
  std::string_view word_anywhere();
  /// The rest of this line as it stands, comments and backslashes too, without the blanks around it.
  std::string_view rest_of_line();
  /// Goes to the beginning of the next line.
  void next_line();
  /// How many words are left on this line. Does not move.
  std::size_t words_left() const;

  /// A finite number that float can hold. \throws Error with the line otherwise; an empty word is a missing number.
  double number(std::string_view word) const;
  /// A whole number. \throws Error with the line otherwise.
  std::int64_t integer(std::string_view word) const;

  /// \throws Error "FILE, line N: what". The text should be a sentence from there on.
  [[noreturn]] void fail(std::string_view what) const { fail_at(line_, what); }
  [[noreturn]] void fail_at(std::uint64_t line, std::string_view what) const;

 private:
  std::size_t skip_blanks(std::size_t at, std::uint64_t& lines) const;
  std::size_t end_of_word(std::size_t at) const;
  bool ends_line(std::size_t at) const;
  std::size_t continuation(std::size_t at) const;

  std::string_view text_;
  std::string file_name_;
  TextRules rules_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

/// The whole word as a number, a leading plus and "nan" and "inf" included; empty if it is none. Numbers too small for
/// double become 0, numbers too large infinite.
std::optional<double> parse_number(std::string_view word);

/// The shortest text that reads as the same number again.
void append_number(std::string& out, double value);
/// The same for a float: the shortest text that, read as a double and rounded to float, is the same float again.
void append_number(std::string& out, float value);

/// The text if it is UTF-8; else each byte taken as a Latin-1 character. For names, which must fit into JSON.
std::string to_utf8(std::string_view text);

/// The linear value of a colour component stored for display, from 0 to 1, and back.
float srgb_to_linear(double value);
double linear_to_srgb(float value);

}  // namespace sinew::io
