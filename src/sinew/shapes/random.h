// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/random.h"

namespace sinew::shapes {

/// What making characters draws, on top of the plain generator: the same on every machine for the same seed, which the
/// standard library's distributions are not.
class Random : public geometry::Random {
 public:
  using geometry::Random::Random;
  using geometry::Random::uniform;

  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// A whole number from `low` to `high`, both included.
  int integer(int low, int high) { return low + static_cast<int>(below(static_cast<Index>(high - low + 1))); }
  /// Mean 0, deviation 1.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(kTwoPi * uniform());
  }
  /// A direction, all equally likely.
  Vec3 direction() {
    const double z = uniform(-1, 1);
    const double angle = uniform(0, kTwoPi);
    const double r = std::sqrt(std::max(0.0, 1 - z * z));
    return {r * std::cos(angle), r * std::sin(angle), z};
  }
};

}  // namespace sinew::shapes
