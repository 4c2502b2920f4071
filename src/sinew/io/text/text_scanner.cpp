// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/text_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "sinew/core/error.h"

namespace sinew::io {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_newline(char c) { return c == '\n' || c == '\r'; }

// A word of a broken file may be a megabyte of anything; a message shows its beginning.
std::string shown(std::string_view word) {
  constexpr std::size_t kMost = 40;
  return to_utf8(word.substr(0, kMost)) + (word.size() > kMost ? "…" : "");
}

// The length of the UTF-8 sequence at `at`, or 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

TextScanner::TextScanner(std::string_view text, std::string file_name, TextRules rules)
    : text_(text), file_name_(std::move(file_name)), rules_(rules) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    throw Error(file_name_ + " is written in UTF-16. Save it as plain text (UTF-8) and try again.");
}

// Where the line goes on after a backslash at `at`, or 0 if it does not.
std::size_t TextScanner::continuation(std::size_t at) const {
  if (!rules_.continuations || text_[at] != '\\' || at + 1 >= text_.size()) return 0;
  if (text_[at + 1] == '\n') return at + 2;
  if (text_[at + 1] != '\r') return 0;
  return at + 2 < text_.size() && text_[at + 2] == '\n' ? at + 3 : at + 2;
}

std::size_t TextScanner::skip_blanks(std::size_t at, std::uint64_t& lines) const {
  while (at < text_.size()) {
    if (is_blank(text_[at])) {
      ++at;
    } else if (const std::size_t next = continuation(at)) {
      at = next;
      ++lines;
    } else {
      break;
    }
  }
  return at;
}

std::size_t TextScanner::end_of_word(std::size_t at) const {
  while (at < text_.size() && !is_blank(text_[at]) && !is_newline(text_[at]) &&
         !(text_[at] == '\\' && continuation(at)))
    ++at;
  return at;
}

bool TextScanner::ends_line(std::size_t at) const {
  return at >= text_.size() || is_newline(text_[at]) || (rules_.comments && text_[at] == '#');
}

std::string_view TextScanner::word() {
  at_ = skip_blanks(at_, line_);
  if (ends_line(at_)) return {};
  const std::size_t begin = at_;
  at_ = end_of_word(at_);
  return text_.substr(begin, at_ - begin);
}

std::string_view TextScanner::word_anywhere() {
  while (!at_end()) {
    const std::string_view found = word();
    if (!found.empty()) return found;
    next_line();
  }
  return {};
}

std::string_view TextScanner::rest_of_line() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_newline(text_[at_])) ++at_;
  std::string_view rest = text_.substr(begin, at_ - begin);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  return rest;
}

void TextScanner::next_line() {
  while (at_ < text_.size() && !is_newline(text_[at_])) ++at_;
  if (at_ >= text_.size()) return;
  at_ += text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 2 : 1;
  ++line_;
}

std::size_t TextScanner::words_left() const {
  std::size_t count = 0;
  std::uint64_t ignored = 0;
  for (std::size_t at = skip_blanks(at_, ignored); !ends_line(at); at = skip_blanks(at, ignored)) {
    at = end_of_word(at);
    ++count;
  }
  return count;
}

double TextScanner::number(std::string_view word) const {
  if (word.empty()) fail("a number is missing.");
  const std::optional<double> value = parse_number(word);
  if (!value) fail(fmt::format("'{}' is not a number.", shown(word)));
  if (!std::isfinite(*value)) fail(fmt::format("'{}' is not a finite number.", shown(word)));
  if (std::abs(*value) > static_cast<double>(std::numeric_limits<float>::max()))
    fail(fmt::format("'{}' is too large a number.", shown(word)));
  return *value;
}

std::int64_t TextScanner::integer(std::string_view word) const {
  if (word.empty()) fail("a whole number is missing.");
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    fail(fmt::format("'{}' is not a whole number.", shown(word)));
  return value;
}

void TextScanner::fail_at(std::uint64_t line, std::string_view what) const {
  throw Error(fmt::format("{}, line {}: {}", file_name_, line, what));
}

std::optional<double> parse_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  if (word.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range && end == word.data() + word.size())
    return std::strtod(std::string(word).c_str(), nullptr);  // from_chars does not say in which direction.
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

void append_number(std::string& out, double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, error == std::errc() ? end : buffer);
}

void append_number(std::string& out, float value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  double again = 0;
  std::from_chars(buffer, end, again);
  // Rounding twice, to double and then to float, may in rare cases end at the neighbour.
  if (error != std::errc() || static_cast<float>(again) != value) append_number(out, static_cast<double>(value));
  else out.append(buffer, end);
}

std::string to_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) break;
    at += length;
  }
  if (at == text.size()) return std::string(text);
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0 | (byte >> 6));
      result += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return result;
}

float srgb_to_linear(double value) {
  const double v = std::clamp(value, 0.0, 1.0);
  return static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
}

double linear_to_srgb(float value) {
  const double v = std::clamp(static_cast<double>(value), 0.0, 1.0);
  return v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

}  // namespace sinew::io
