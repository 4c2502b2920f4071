// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

namespace sinew::rigging {

enum class BodySide { kMiddle, kLeft, kRight };

/// A role taken apart: "left_index_2" is left, "index", 2. Without a number it is 1.
struct Role {
  BodySide side = BodySide::kMiddle;
  std::string part;
  int number = 1;

  bool is(const char* word) const { return part == word; }
};
Role parse_role(const std::string& role);

}  // namespace sinew::rigging
