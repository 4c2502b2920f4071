// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the tests of validate() do to things that are sound.

#include <limits>

namespace sinew::test {

/// A damage, and the code of the finding that must tell of it.
template <class Thing>
struct Harm {
  const char* code;
  void (*damage)(Thing&);
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace sinew::test
