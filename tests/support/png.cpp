// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/support/png.h"

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sinew::test {
namespace {

[[noreturn]] void fail(const char* why) { throw std::runtime_error(why); }

class Bits {
 public:
  explicit Bits(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  int bit() {
    if (at_ / 8 >= bytes_.size()) fail("the compressed data ends early");
    const int value = bytes_[at_ / 8] >> (at_ % 8) & 1;
    ++at_;
    return value;
  }
  int number(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i) value |= bit() << i;
    return value;
  }
  void skip_to_byte() { at_ = (at_ + 7) / 8 * 8; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// A Huffman code from the lengths of its words.
class Code {
 public:
  explicit Code(std::span<const int> lengths) {
    int word = 0;
    for (int length = 1; length <= 15; ++length, word <<= 1)
      for (std::size_t s = 0; s < lengths.size(); ++s)
        if (lengths[s] == length) symbols_[{length, word++}] = static_cast<int>(s);
  }
  int read(Bits& bits) const {
    int word = 0;
    for (int length = 1; length <= 15; ++length) {
      word = word << 1 | bits.bit();
      if (const auto found = symbols_.find({length, word}); found != symbols_.end()) return found->second;
    }
    fail("a word that is not in the code");
  }

 private:
  std::map<std::pair<int, int>, int> symbols_;
};

std::pair<Code, Code> dynamic_codes(Bits& bits) {
  constexpr std::array kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const int literals = bits.number(5) + 257, distances = bits.number(5) + 1, count = bits.number(4) + 4;
  std::array<int, 19> meta{};
  for (int i = 0; i < count; ++i) meta[static_cast<std::size_t>(kOrder[static_cast<std::size_t>(i)])] = bits.number(3);
  const Code code(meta);
  std::vector<int> lengths;
  while (lengths.size() < static_cast<std::size_t>(literals + distances)) {
    const int symbol = code.read(bits);
    if (symbol < 16) lengths.push_back(symbol);
    else if (symbol == 16) lengths.insert(lengths.end(), static_cast<std::size_t>(bits.number(2) + 3), lengths.back());
    else
      lengths.insert(lengths.end(), static_cast<std::size_t>(symbol == 17 ? bits.number(3) + 3 : bits.number(7) + 11),
                     0);
  }
  const std::span<const int> all(lengths);
  return {Code(all.first(static_cast<std::size_t>(literals))), Code(all.subspan(static_cast<std::size_t>(literals)))};
}

std::pair<Code, Code> fixed_codes() {
  std::array<int, 288> literals{};
  for (int i = 0; i < 288; ++i) literals[static_cast<std::size_t>(i)] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  std::array<int, 30> distances{};
  distances.fill(5);
  return {Code(literals), Code(distances)};
}

void inflate_block(Bits& bits, const std::pair<Code, Code>& codes, std::vector<std::uint8_t>& out) {
  constexpr std::array kLength = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                  31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  constexpr std::array kLengthBits = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  for (int symbol = codes.first.read(bits); symbol != 256; symbol = codes.first.read(bits)) {
    if (symbol < 256) {
      out.push_back(static_cast<std::uint8_t>(symbol));
      continue;
    }
    const auto l = static_cast<std::size_t>(symbol - 257);
    const int length = kLength.at(l) + bits.number(kLengthBits.at(l));
    const int d = codes.second.read(bits);
    const int extra = d < 2 ? 0 : d / 2 - 1;
    const int distance = (d < 2 ? d + 1 : ((2 + d % 2) << extra) + 1) + bits.number(extra);
    if (static_cast<std::size_t>(distance) > out.size()) fail("a distance before the start");
    for (int i = 0; i < length; ++i) out.push_back(out[out.size() - static_cast<std::size_t>(distance)]);
  }
}

std::vector<std::uint8_t> inflate(std::span<const std::uint8_t> zlib) {
  if (zlib.size() < 6) fail("no compressed data");
  Bits bits(zlib.subspan(2));
  std::vector<std::uint8_t> out;
  for (bool last = false; !last;) {
    last = bits.bit() == 1;
    const int kind = bits.number(2);
    if (kind == 0) {
      bits.skip_to_byte();
      const int length = bits.number(16);
      bits.number(16);
      for (int i = 0; i < length; ++i) out.push_back(static_cast<std::uint8_t>(bits.number(8)));
    } else {
      inflate_block(bits, kind == 1 ? fixed_codes() : dynamic_codes(bits), out);
    }
  }
  return out;
}

int paeth(int a, int b, int c) {
  const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

}  // namespace

Pixels decode_png(std::span<const std::byte> png) {
  std::vector<std::uint8_t> bytes;
  for (const std::byte b : png) bytes.push_back(std::to_integer<std::uint8_t>(b));
  const auto word = [&](std::size_t at) {
    return static_cast<std::size_t>(bytes.at(at)) << 24 | static_cast<std::size_t>(bytes.at(at + 1)) << 16 |
           static_cast<std::size_t>(bytes.at(at + 2)) << 8 | bytes.at(at + 3);
  };
  if (bytes.size() < 33 || std::string_view(reinterpret_cast<const char*>(bytes.data()), 4) != "\x89PNG")
    fail("not a PNG");
  Pixels pixels;
  pixels.width = static_cast<int>(word(16));
  pixels.height = static_cast<int>(word(20));
  const std::size_t channels = bytes[25] == 6 ? 4 : bytes[25] == 2 ? 3 : 0;
  if (bytes[24] != 8 || channels == 0 || bytes[28] != 0) fail("a kind of PNG that the test cannot read");
  std::vector<std::uint8_t> packed;
  for (std::size_t at = 8; at + 12 <= bytes.size(); at += 12 + word(at))
    if (std::string_view(reinterpret_cast<const char*>(&bytes[at + 4]), 4) == "IDAT")
      for (std::size_t i = 0; i < word(at); ++i) packed.push_back(bytes.at(at + 8 + i));
  std::vector<std::uint8_t> raw = inflate(packed);
  const std::size_t stride = static_cast<std::size_t>(pixels.width) * channels;
  if (raw.size() != (stride + 1) * static_cast<std::size_t>(pixels.height)) fail("too many or too few pixels");
  const auto old = [&](std::size_t y, std::size_t x) { return static_cast<int>(raw[y * (stride + 1) + 1 + x]); };
  for (std::size_t y = 0; y < static_cast<std::size_t>(pixels.height); ++y)
    for (std::size_t x = 0; x < stride; ++x) {
      const int a = x >= channels ? old(y, x - channels) : 0, b = y > 0 ? old(y - 1, x) : 0;
      const int c = x >= channels && y > 0 ? old(y - 1, x - channels) : 0;
      const std::array<int, 5> guess = {0, a, b, (a + b) / 2, paeth(a, b, c)};
      std::uint8_t& value = raw[y * (stride + 1) + 1 + x];
      value = static_cast<std::uint8_t>(value + guess.at(raw[y * (stride + 1)]));
    }
  for (std::size_t y = 0; y < static_cast<std::size_t>(pixels.height); ++y)
    for (std::size_t x = 0; x < static_cast<std::size_t>(pixels.width); ++x)
      for (std::size_t k = 0; k < 4; ++k)
        pixels.rgba.push_back(k < channels ? static_cast<std::uint8_t>(old(y, x * channels + k)) : std::uint8_t{255});
  return pixels;
}

}  // namespace sinew::test
