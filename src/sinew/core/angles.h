// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The constant π, and conversions between degrees (used in the interface) and radians (used in code).

#include <numbers>

namespace sinew {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kTwoPi = 2 * kPi;
inline constexpr double kRadPerDegree = kPi / 180;

constexpr double radians(double degrees) { return degrees * kRadPerDegree; }
constexpr double degrees(double radians) { return radians / kRadPerDegree; }

}  // namespace sinew
