// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/io/file.h"

namespace sinew::picture {

/// Pixels of eight bits per channel, row by row from the top.
struct Pixels {
  int width = 0;
  int height = 0;
  int channels = 4;  ///< 3: red, green, blue; 4: with opacity, which the colours are not multiplied by.
  std::vector<std::uint8_t> values;

  std::size_t row_bytes() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels); }
};

/// Appends a chunk of a PNG file, with its length and checksum.
void put_png_chunk(io::Bytes& png, std::string_view type, std::span<const std::byte> data);
/// Appends the signature and the header of a PNG file.
void put_png_header(io::Bytes& png, const Pixels& pixels);
/// The compressed rows of a picture: the data of its IDAT chunk.
io::Bytes png_data(const Pixels& pixels);

io::Bytes write_png(const Pixels& pixels);

/// Reads what `write_png` and browsers write: eight bits, colours with or without opacity, not interlaced. The result
/// has four channels. \throws Error for other files.
Pixels read_png(std::span<const std::byte> png);

}  // namespace sinew::picture
