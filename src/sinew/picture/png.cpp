// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/png.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "sinew/core/error.h"

namespace sinew::picture {
namespace {

constexpr std::array<std::uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A};
constexpr std::uint32_t kMostSide = 1 << 14;

void put_number(io::Bytes& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(number >> shift));
}

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < 4; ++k) number = number << 8 | std::to_integer<std::uint32_t>(bytes[at + k]);
  return number;
}

[[noreturn]] void refuse() { throw Error("The picture is not a PNG file of eight bits per channel."); }

std::uint8_t paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int to_left = std::abs(guess - left), to_above = std::abs(guess - above), to_corner = std::abs(guess - corner);
  return static_cast<std::uint8_t>(to_left <= to_above && to_left <= to_corner ? left
                                   : to_above <= to_corner                     ? above
                                                                               : corner);
}

/// Undoes the filter of one row; `above` is the finished row before it.
void unfilter(int filter, std::span<std::uint8_t> row, std::span<const std::uint8_t> above, std::size_t step) {
  for (std::size_t x = 0; x < row.size(); ++x) {
    const int left = x >= step ? row[x - step] : 0, up = above[x], corner = x >= step ? above[x - step] : 0;
    const int guess = filter == 1   ? left
                      : filter == 2 ? up
                      : filter == 3 ? (left + up) / 2
                      : filter == 4 ? paeth(left, up, corner)
                                    : 0;
    row[x] = static_cast<std::uint8_t>(row[x] + guess);
  }
}

std::vector<std::uint8_t> inflated(const io::Bytes& data, std::size_t size) {
  std::vector<std::uint8_t> lines(size);
  auto length = static_cast<uLongf>(size);
  if (::uncompress(lines.data(), &length, reinterpret_cast<const Bytef*>(data.data()),
                   static_cast<uLong>(data.size())) != Z_OK ||
      length != size)
    refuse();
  return lines;
}

}  // namespace

void put_png_chunk(io::Bytes& png, std::string_view type, std::span<const std::byte> data) {
  put_number(png, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = png.size();
  for (const char c : type) png.push_back(static_cast<std::byte>(c));
  png.insert(png.end(), data.begin(), data.end());
  put_number(png, static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(png.data() + begin),
                                                     static_cast<uInt>(png.size() - begin))));
}

void put_png_header(io::Bytes& png, const Pixels& pixels) {
  for (const std::uint8_t byte : kSignature) png.push_back(static_cast<std::byte>(byte));
  io::Bytes header;
  put_number(header, static_cast<std::uint32_t>(pixels.width));
  put_number(header, static_cast<std::uint32_t>(pixels.height));
  for (const int byte : {8, pixels.channels == 4 ? 6 : 2, 0, 0, 0}) header.push_back(static_cast<std::byte>(byte));
  put_png_chunk(png, "IHDR", header);
}

// Each row as differences from the one above.
io::Bytes png_data(const Pixels& pixels) {
  const std::size_t row = pixels.row_bytes();
  std::vector<std::uint8_t> lines;
  lines.reserve((row + 1) * static_cast<std::size_t>(pixels.height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(pixels.height); ++y) {
    lines.push_back(2);
    for (std::size_t at = y * row; at < (y + 1) * row; ++at)
      lines.push_back(static_cast<std::uint8_t>(pixels.values[at] - (y > 0 ? pixels.values[at - row] : 0)));
  }
  uLongf size = ::compressBound(static_cast<uLong>(lines.size()));
  io::Bytes data(size);
  if (::compress2(reinterpret_cast<Bytef*>(data.data()), &size, lines.data(), static_cast<uLong>(lines.size()), 9) !=
      Z_OK)
    throw Error("The picture cannot be compressed.");
  data.resize(size);
  return data;
}

io::Bytes write_png(const Pixels& pixels) {
  io::Bytes png;
  put_png_header(png, pixels);
  put_png_chunk(png, "IDAT", png_data(pixels));
  put_png_chunk(png, "IEND", {});
  return png;
}

Pixels read_png(std::span<const std::byte> png) {
  if (png.size() < 33 || std::memcmp(png.data(), kSignature.data(), kSignature.size()) != 0) refuse();
  const std::uint32_t width = number_at(png, 16), height = number_at(png, 20);
  const int depth = std::to_integer<int>(png[24]), kind = std::to_integer<int>(png[25]);
  const int interlaced = std::to_integer<int>(png[28]);
  if (depth != 8 || (kind != 2 && kind != 6) || interlaced != 0 || width == 0 || height == 0 || width > kMostSide ||
      height > kMostSide)
    refuse();
  io::Bytes data;
  for (std::size_t at = kSignature.size(); at + 12 <= png.size();) {
    const std::size_t length = number_at(png, at);
    if (length > png.size() - at - 12) refuse();
    if (std::memcmp(png.data() + at + 4, "IDAT", 4) == 0)
      data.insert(data.end(), png.begin() + static_cast<std::ptrdiff_t>(at + 8),
                  png.begin() + static_cast<std::ptrdiff_t>(at + 8 + length));
    at += length + 12;
  }
  const std::size_t step = kind == 6 ? 4 : 3, row = width * step;
  std::vector<std::uint8_t> lines = inflated(data, (row + 1) * height);
  Pixels pixels{static_cast<int>(width), static_cast<int>(height), 4, {}};
  pixels.values.reserve(std::size_t{4} * width * height);
  const std::vector<std::uint8_t> nothing(row, 0);
  std::span<const std::uint8_t> above = nothing;
  for (std::size_t y = 0; y < height; ++y) {
    const std::span<std::uint8_t> line(lines.data() + y * (row + 1) + 1, row);
    unfilter(lines[y * (row + 1)], line, above, step);
    for (std::size_t x = 0; x < row; x += step) {
      pixels.values.insert(pixels.values.end(), {line[x], line[x + 1], line[x + 2]});
      pixels.values.push_back(step == 4 ? line[x + 3] : std::uint8_t{255});
    }
    above = line;
  }
  return pixels;
}

}  // namespace sinew::picture
