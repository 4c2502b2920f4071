// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string>
#include <string_view>

namespace sinew {

/// What a piece of the body is made of.
struct Tissue {
  double stiffness = 1;  ///< Relative to that of skin.
  double damping = 0.3;  ///< Share of critical damping with which it comes to rest.
  double rigid = 0;      ///< 1: it keeps its shape, like a bone; 0: it does not.

  bool operator==(const Tissue&) const = default;
};

/// The names of the presets, the default first.
inline constexpr std::array<const char*, 5> kTissueNames = {"skin", "fat", "muscle", "rubber", "bone"};

/// The preset of that name. \throws Error for any other name, with the names that exist.
Tissue tissue(std::string_view name);

}  // namespace sinew
