// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/role.h"

#include <cctype>

namespace sinew::rigging {

Role parse_role(const std::string& role) {
  Role result;
  result.part = role;
  if (role.starts_with("left_")) result.side = BodySide::kLeft, result.part = role.substr(5);
  if (role.starts_with("right_")) result.side = BodySide::kRight, result.part = role.substr(6);
  const std::size_t bar = result.part.rfind('_');
  if (bar == std::string::npos || bar + 1 == result.part.size() || result.part.size() - bar > 5) return result;
  int number = 0;
  for (std::size_t i = bar + 1; i < result.part.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(result.part[i]))) return result;
    number = 10 * number + (result.part[i] - '0');
  }
  result.number = number;
  result.part.resize(bar);
  return result;
}

}  // namespace sinew::rigging
