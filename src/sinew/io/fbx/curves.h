// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Animation curves: numbers over time with constant, linear and cubic segments.

#include "sinew/io/fbx/records.h"

namespace sinew::io::fbx {

/// Ticks in a second.
inline constexpr double kTicksPerSecond = 46186158000.0;

/// A curve. Before its first key it has the value of the first, after its last key that of the last.
class Curve {
 public:
  enum class Kind { kStep, kStepNext, kLinear, kCubic };
  struct Key {
    double time_s = 0;
    double value = 0;
    Kind kind = Kind::kLinear;  ///< Of the segment to the next key.
    // Slopes (per second) and lengths (as shares of the segment) of the tangents at both ends of the segment.
    double slope = 0, next_slope = 0;
    double length = kUsualLength, next_length = kUsualLength;
  };
  static constexpr double kUsualLength = 1.0 / 3;

  Curve() = default;
  explicit Curve(std::vector<Key> keys) : keys_(std::move(keys)) {}

  const std::vector<Key>& keys() const { return keys_; }
  double at(double time_s) const;

 private:
  std::vector<Key> keys_;  // Times increase.
};

/// Reads an AnimationCurve. Keys that are not finite or not later than the one before are left out and counted.
Curve read_curve(const Record& record, Arrays& arrays, std::uint64_t& dropped);

}  // namespace sinew::io::fbx
