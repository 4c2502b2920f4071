// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/name_words.h"

#include <cctype>

namespace sinew {
namespace {

bool is_small(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool is_capital(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::vector<std::string> name_words(std::string_view name) {
  const std::size_t colon = name.find_last_of(":|");
  if (colon != std::string_view::npos && colon + 1 < name.size()) name = name.substr(colon + 1);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i], before = i > 0 ? name[i - 1] : ' ', next = i + 1 < name.size() ? name[i + 1] : ' ';
    const bool letter = is_small(c) || is_capital(c);
    if (!letter && !is_digit(c)) continue;
    const bool goes_on = letter ? is_small(before) || is_capital(before) : is_digit(before);
    const bool capital_begins = is_capital(c) && (!is_capital(before) || is_small(next));
    if (!goes_on || capital_begins) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

}  // namespace sinew
