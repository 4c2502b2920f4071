// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the tests of validate() do to things that are sound.

#include <algorithm>
#include <limits>
#include <ostream>
#include <string>

namespace sinew::test {

/// A damage, and the code of the finding that must tell of it.
template <class Thing>
struct Harm {
  const char* code;
  void (*damage)(Thing&);
};

template <class Thing>
void PrintTo(const Harm<Thing>& harm, std::ostream* out) {
  *out << harm.code;
}

/// Names tests after the finding, with a number, as several damages may lead to one: "mesh_position_0".
struct HarmName {
  template <class Info>
  std::string operator()(const Info& info) const {
    std::string name = info.param.code;
    std::replace(name.begin(), name.end(), '.', '_');
    return name + "_" + std::to_string(info.index);
  }
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace sinew::test
