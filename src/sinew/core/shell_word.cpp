// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/shell_word.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace sinew {

std::string shell_word(const std::string& text) {
  constexpr std::string_view harmless = "._-/+,:@%=";
  const auto plain = [&](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 || harmless.find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace sinew
