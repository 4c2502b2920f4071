// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// A small random generator of its own, so that the same seed gives the same numbers everywhere; not for secrets.
/// SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// The stream `stream` of a seed: streams are unrelated, so that every item of a parallel loop can have one.
  Random(std::uint64_t seed, std::uint64_t stream) : state_(scramble(scramble(seed) + stream * kOdd)) {}

  std::uint64_t next() { return scramble(state_ += kOdd); }

  /// In [0, 1), a multiple of 2⁻⁵³.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// In [0, count), all equally likely. \pre count > 0.
  Index below(Index count) {
    // Numbers past the last whole multiple of `count` would favour the low ones: draw again.
    const std::uint64_t excess = (std::uint64_t{1} << 32) % count;
    std::uint64_t draw = next() >> 32;
    while (draw >= (std::uint64_t{1} << 32) - excess) draw = next() >> 32;
    return static_cast<Index>(draw % count);
  }

 private:
  static constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  static std::uint64_t scramble(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace sinew::geometry
