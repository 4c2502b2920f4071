// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinew::test {

/// A decoded picture, eight bits per channel, top row first.
struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;

  std::array<int, 4> at(int x, int y) const {
    const std::uint8_t* p =
        &rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))];
    return {p[0], p[1], p[2], p[3]};
  }
};

/// A slow, obvious PNG decoder (RFC 2083, RFC 1951): eight bits per channel, RGB or RGBA, not interlaced.
/// \throws std::runtime_error for anything else.
Pixels decode_png(std::span<const std::byte> png);

}  // namespace sinew::test
