// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/shapes/kinds.h"

namespace sinew::test {

inline Character made_human(const std::string& pose = "a", int vertices = 1500) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  options.made_pose = pose;
  return shapes::make("human", options).made.character;
}

}  // namespace sinew::test
