// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/json.h"

#include <fmt/format.h>

#include "sinew/core/error.h"

namespace sinew {

void check_json_depth(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth)
        throw Error(fmt::format("Its JSON is nested more than {} levels deep.", kMaxJsonDepth));
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

Json parse_json_text(std::string_view text) {
  check_json_depth(text);
  return Json::parse(text, nullptr, false);
}

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace sinew
