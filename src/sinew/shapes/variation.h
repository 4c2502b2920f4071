// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <string_view>

namespace sinew::shapes {

/// Random choices by name: the same name and seed give the same choice, whatever else is asked for and in which order.
class Variation {
 public:
  Variation(std::uint64_t seed, double amount) : seed_(seed), amount_(amount) {}

  double amount() const { return amount_; }

  /// A number in [−1, 1], more often near 0.
  double value(std::string_view name) const;

  /// A number in [0, 1), all equally often.
  double uniform(std::string_view name) const;

  /// A factor around 1: at amount 1 between 1/spread and spread.
  double factor(std::string_view name, double spread = 1.6) const;

 private:
  std::uint64_t seed_;
  double amount_;
};

}  // namespace sinew::shapes
