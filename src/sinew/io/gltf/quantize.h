// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinew::io::gltf {

/// Shares of `total` in whole numbers that sum to `total` exactly: each weight's share rounded down, and what is left
/// given to the largest remainders (ties: to the first). No share is off by one unit or more. All zero for no weights.
std::vector<std::uint32_t> share_out(std::span<const float> weights, std::uint32_t total);

/// What a row of float weights is counted in: multiples of 2⁻²⁴ up to 1 are exact in float and add up exactly, in any
/// order.
inline constexpr std::uint32_t kFloatUnits = 1U << 24;

}  // namespace sinew::io::gltf
