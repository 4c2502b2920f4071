// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/tissue.h"

#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

namespace sinew {

Tissue tissue(std::string_view name) {
  if (name == "skin") return {};
  if (name == "fat") return {0.3, 0.2, 0};
  if (name == "muscle") return {4, 0.5, 0};
  if (name == "rubber") return {2, 0.08, 0};
  if (name == "bone") return {1000, 1, 1};
  const std::vector<std::string> names(kTissueNames.begin(), kTissueNames.end());
  throw Error("There is no material '" + std::string(name) +
              "'. The materials are skin, fat, muscle, rubber and bone." + did_you_mean(std::string(name), names));
}

}  // namespace sinew
