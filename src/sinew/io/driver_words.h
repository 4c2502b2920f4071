// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string_view>

#include "sinew/core/driver.h"

namespace sinew::io {

/// What the kinds of drivers are called in files, in the order of Driver::Kind. kOpaque has no word of its own: it
/// stands for every other word.
inline constexpr std::array<const char*, 5> kDriverWords = {"twist_share", "aim", "polynomial", "driven_keys",
                                                            "rotation_share"};

/// The kind of a word; kOpaque for one that is not known.
inline Driver::Kind driver_kind(std::string_view word) {
  std::size_t kind = 0;
  while (kind < kDriverWords.size() && word != kDriverWords[kind]) ++kind;
  return static_cast<Driver::Kind>(kind);
}

static_assert(static_cast<std::size_t>(Driver::Kind::kOpaque) == kDriverWords.size());

/// The sentence of the finding for a driver that is only carried along.
inline constexpr const char* kOpaqueDriver =
    "Its driver has a kind that this version of Sinew does not know. The driver is kept but not evaluated: the joint "
    "stays at rest.";

}  // namespace sinew::io
