// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/info_columns.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::jobs {
namespace {

constexpr std::size_t kText = 16;  // Where sentences begin.

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Length of the well-formed UTF-8 sequence at the beginning; 0 when there is none.
std::size_t sequence(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(text[i])) return 0;
  return length;
}

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += !continues(c);
  return count;
}

std::string shorten(std::string_view text, std::size_t width) {
  std::string result;
  std::size_t used = 0, before_last = 0;
  while (!text.empty()) {
    if (used == width) {
      result.resize(before_last);
      return result + "…";
    }
    const std::size_t length = sequence(text);
    before_last = result.size();
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) result += '?';
    else if (first < 0x20 || first == 0x7F) result += ' ';
    else result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
    ++used;
  }
  return result;
}

std::string pad(std::string text, std::size_t width) {
  const std::size_t used = columns(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

std::string group(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

void TextColumns::plain(std::string_view text) { text_ += shorten(text, kWidth) + "\n"; }

void TextColumns::section(std::string_view title) { text_ += fmt::format("\n{}\n", title); }

void TextColumns::line(char mark, std::string_view label, std::string_view text) {
  text_ += fmt::format("  {} {}", mark == '+' ? "✓" : std::string_view(&mark, 1), pad(std::string(label), kText - 4));
  std::size_t used = kText;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word = shorten(text.substr(0, end), kWidth - kText);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (used > kText && used + 1 + columns(word) > kWidth) {
      text_ += "\n" + std::string(kText, ' ');
      used = kText;
    }
    if (used > kText) text_ += ' ', ++used;
    text_ += word;
    used += columns(word);
  }
  text_ += '\n';
}

void TextColumns::item(std::string_view text) { text_ += "      " + shorten(text, kWidth - 6) + "\n"; }

}  // namespace sinew::jobs
