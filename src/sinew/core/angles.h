// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The one spelling of π, and the conversion between degrees, which people use, and radians, which code uses.

#include <numbers>

namespace sinew {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kTwoPi = 2 * kPi;
inline constexpr double kRadPerDegree = kPi / 180;

constexpr double radians(double degrees) { return degrees * kRadPerDegree; }
constexpr double degrees(double radians) { return radians / kRadPerDegree; }

}  // namespace sinew
