// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/animation.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>

#include "sinew/core/error.h"
#include "sinew/picture/png.h"
#include "tests/support/png.h"

namespace sinew::picture {
namespace {

int byte_at(const io::Bytes& bytes, std::size_t at) { return std::to_integer<int>(bytes.at(at)); }
int short_at(const io::Bytes& bytes, std::size_t at) { return byte_at(bytes, at) | byte_at(bytes, at + 1) << 8; }
std::size_t big_at(const io::Bytes& bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<std::size_t>(byte_at(bytes, at + k));
  return value;
}
std::string name_at(const io::Bytes& bytes, std::size_t at) {
  return {reinterpret_cast<const char*>(bytes.data() + at), 4};
}

/// Random dots of a few far colours, so that a palette holds them exactly. Long enough to fill the table of codes.
Pixels dots(unsigned seed, int width = 160, int height = 120) {
  constexpr std::array<std::array<std::uint8_t, 4>, 3> colors = {
      {{250, 20, 30, 255}, {10, 240, 60, 255}, {20, 30, 90, 255}}};
  std::mt19937 random(seed);
  Pixels pixels{width, height, 4, {}};
  for (int i = 0; i < width * height; ++i)
    for (const std::uint8_t value : colors[random() % 3]) pixels.values.push_back(value);
  return pixels;
}

/// A decoder that is as simple as the description of the format.
struct DecodedGif {
  int width = 0, height = 0;
  std::vector<std::vector<std::uint8_t>> frames;  ///< Composed, four channels.
  std::vector<int> ticks;
};

std::vector<int> decode_lzw(const io::Bytes& data, int least) {
  std::vector<int> result;
  std::vector<std::vector<int>> table;
  const int start = 1 << least, end = start + 1;
  const auto reset = [&] {
    table.assign(static_cast<std::size_t>(end) + 1, {});
    for (int i = 0; i < start; ++i) table[static_cast<std::size_t>(i)] = {i};
  };
  reset();
  int bits = least + 1;
  std::size_t at = 0;
  std::vector<int> last;
  while (true) {
    int code = 0;
    for (int b = 0; b < bits; ++b, ++at) code |= (byte_at(data, at / 8) >> (at % 8) & 1) << b;
    if (code == end) return result;
    if (code == start) {
      reset();
      bits = least + 1;
      last.clear();
      continue;
    }
    std::vector<int> word;
    if (static_cast<std::size_t>(code) < table.size()) word = table[static_cast<std::size_t>(code)];
    else word = last, word.push_back(last.at(0));
    if (!last.empty()) {
      last.push_back(word[0]);
      table.push_back(last);
    }
    if (table.size() == std::size_t{1} << bits && bits < 12) ++bits;
    result.insert(result.end(), word.begin(), word.end());
    last = word;
  }
}

DecodedGif decode_gif(const io::Bytes& gif) {
  DecodedGif result;
  EXPECT_EQ(std::memcmp(gif.data(), "GIF89a", 6), 0);
  result.width = short_at(gif, 6), result.height = short_at(gif, 8);
  std::vector<std::uint8_t> canvas(4 * static_cast<std::size_t>(result.width * result.height), 0);
  const std::size_t palette = 13;
  std::size_t at = palette + 3 * 256;
  int clear = -1, disposal = 0;
  while (byte_at(gif, at) != 0x3B) {
    if (byte_at(gif, at) == 0x21) {
      if (byte_at(gif, at + 1) == 0xF9) {
        result.ticks.push_back(short_at(gif, at + 4));
        disposal = byte_at(gif, at + 3) >> 2 & 7;
        clear = (byte_at(gif, at + 3) & 1) != 0 ? byte_at(gif, at + 6) : -1;
      }
      at += 2;
      while (byte_at(gif, at) != 0) at += static_cast<std::size_t>(byte_at(gif, at)) + 1;
      ++at;
      continue;
    }
    const int x0 = short_at(gif, at + 1), y0 = short_at(gif, at + 3), w = short_at(gif, at + 5);
    const int least = byte_at(gif, at + 10);
    io::Bytes data;
    at += 11;
    for (; byte_at(gif, at) != 0; at += static_cast<std::size_t>(byte_at(gif, at)) + 1)
      data.insert(data.end(), gif.begin() + static_cast<std::ptrdiff_t>(at + 1),
                  gif.begin() + static_cast<std::ptrdiff_t>(at + 1) + byte_at(gif, at));
    ++at;
    if (disposal == 2) std::fill(canvas.begin(), canvas.end(), std::uint8_t{0});
    int i = 0;
    for (const int value : decode_lzw(data, least)) {
      const auto pixel = static_cast<std::size_t>((y0 + i / w) * result.width + x0 + i % w);
      ++i;
      if (value == clear) continue;
      for (std::size_t k = 0; k < 3; ++k)
        canvas[4 * pixel + k] =
            static_cast<std::uint8_t>(byte_at(gif, palette + 3 * static_cast<std::size_t>(value) + k));
      canvas[4 * pixel + 3] = 255;
    }
    result.frames.push_back(canvas);
  }
  return result;
}

TEST(Png, IsReadAsItWasWritten) {
  const Pixels pixels = dots(1, 37, 21);
  const io::Bytes png = write_png(pixels);
  EXPECT_EQ(read_png(png).values, pixels.values);
  EXPECT_EQ(test::decode_png(png).rgba, pixels.values);
  EXPECT_THROW(read_png(std::span(png).first(png.size() / 2)), Error);
}

TEST(Animation, GifWithFewColoursIsExactAndKeepsTime) {
  const std::array<Pixels, 4> pixels = {dots(1), dots(1), dots(2), dots(3)};
  std::vector<AnimationFrame> frames;
  for (const Pixels& frame : pixels) frames.push_back({write_png(frame), 0.125});
  const DecodedGif gif = decode_gif(make_animation(AnimationFormat::kGif, frames));
  ASSERT_EQ(gif.frames.size(), 4U);
  for (std::size_t f = 0; f < 4; ++f) EXPECT_EQ(gif.frames[f], pixels[f].values) << f;
  // 12.5 hundredths are 13 and 12 in turn: half a second in all.
  EXPECT_EQ(gif.ticks, (std::vector<int>{13, 12, 13, 12}));
}

TEST(Animation, GifOfManyColoursIsNear) {
  Pixels pixels{128, 64, 4, {}};
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 128; ++x)
      for (const int value : {2 * x, 4 * y, 255 - x - y, 255})
        pixels.values.push_back(static_cast<std::uint8_t>(value));
  const std::array<AnimationFrame, 1> frames = {{{write_png(pixels), 1}}};
  const DecodedGif gif = decode_gif(make_animation(AnimationFormat::kGif, frames));
  double sum = 0;
  for (std::size_t i = 0; i < pixels.values.size(); ++i)
    sum += std::abs(static_cast<int>(pixels.values[i]) - static_cast<int>(gif.frames.at(0)[i]));
  EXPECT_LT(sum / static_cast<double>(pixels.values.size()), 9);
}

TEST(Animation, GifKeepsClearPixelsClear) {
  Pixels first = dots(4, 20, 20), second = dots(5, 20, 20);
  for (std::size_t i = 0; i < 200; ++i)
    std::fill_n(first.values.begin() + static_cast<std::ptrdiff_t>(4 * i), 4, std::uint8_t{0});
  for (std::size_t i = 100; i < 300; ++i)
    std::fill_n(second.values.begin() + static_cast<std::ptrdiff_t>(4 * i), 4, std::uint8_t{0});
  const std::array<AnimationFrame, 2> frames = {{{write_png(first), 0.1}, {write_png(second), 0.1}}};
  const DecodedGif gif = decode_gif(make_animation(AnimationFormat::kGif, frames));
  EXPECT_EQ(gif.frames.at(0), first.values);
  EXPECT_EQ(gif.frames.at(1), second.values);
}

TEST(Animation, ApngHoldsTheFrames) {
  const std::array<Pixels, 3> pixels = {dots(1, 32, 24), dots(2, 32, 24), dots(2, 32, 24)};
  std::vector<AnimationFrame> frames;
  for (const Pixels& frame : pixels) frames.push_back({write_png(frame), 0.05});
  const io::Bytes apng = make_animation(AnimationFormat::kApng, frames);
  EXPECT_EQ(test::decode_png(apng).rgba, pixels[0].values) << "programs that know no APNG show the first frame";
  std::vector<std::uint8_t> canvas = pixels[0].values;
  std::size_t sequence = 0, controls = 0, frame = 0;
  for (std::size_t at = 8; at < apng.size(); at += 12 + big_at(apng, at)) {
    const std::string name = name_at(apng, at + 4);
    if (name == "acTL") {
      EXPECT_EQ(big_at(apng, at + 8), 3U);
    }
    if (name == "fcTL" || name == "fdAT") {
      EXPECT_EQ(big_at(apng, at + 8), sequence++);
    }
    if (name == "fcTL") {
      ++controls;
      EXPECT_EQ(big_at(apng, at + 28), 50U << 16 | 1000U);
    }
    if (name != "fdAT") continue;
    // As a picture of its own, drawn over the last one.
    io::Bytes alone;
    put_png_header(alone, pixels[0]);
    put_png_chunk(alone, "IDAT", std::span(apng).subspan(at + 12, big_at(apng, at) - 4));
    put_png_chunk(alone, "IEND", {});
    const test::Pixels over = test::decode_png(alone);
    for (std::size_t i = 0; i < canvas.size(); i += 4)
      if (over.rgba[i + 3] != 0)
        std::copy_n(over.rgba.begin() + static_cast<std::ptrdiff_t>(i), 4,
                    canvas.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(canvas, pixels[++frame].values);
  }
  EXPECT_EQ(controls, 3U);
  EXPECT_EQ(frame, 2U);
}

/// A still WebP file of 7 × 5 pixels; only its head counts here.
io::Bytes still_webp(char content) {
  const std::string data = std::string("\x2f\x06\x00\x01\x00", 5) + content;
  std::string file = "RIFF" + std::string(1, static_cast<char>(4 + 8 + data.size())) + std::string(3, '\0') +
                     "WEBPVP8L" + std::string(1, static_cast<char>(data.size())) + std::string(3, '\0') + data;
  const auto bytes = std::as_bytes(std::span(file));
  return {bytes.begin(), bytes.end()};
}

TEST(Animation, WebpHoldsTheFrames) {
  const std::array<AnimationFrame, 2> frames = {{{still_webp('a'), 0.05}, {still_webp('b'), 1.2}}};
  const io::Bytes webp = make_animation(AnimationFormat::kWebp, frames);
  EXPECT_EQ(name_at(webp, 0) + name_at(webp, 8), "RIFFWEBP");
  EXPECT_EQ(static_cast<std::size_t>(short_at(webp, 4)) + 8, webp.size());
  EXPECT_EQ(name_at(webp, 12), "VP8X");
  EXPECT_EQ(byte_at(webp, 24), 6) << "one less than the width";
  EXPECT_EQ(byte_at(webp, 27), 4);
  std::vector<int> durations;
  for (std::size_t at = 12; at < webp.size();
       at += 8 + static_cast<std::size_t>(short_at(webp, at + 4) + short_at(webp, at + 4) % 2))
    if (name_at(webp, at) == "ANMF") {
      durations.push_back(short_at(webp, at + 20));
      EXPECT_EQ(name_at(webp, at + 24), "VP8L");
    }
  EXPECT_EQ(durations, (std::vector<int>{50, 1200}));
}

TEST(Animation, RefusesWhatIsNoAnimation) {
  EXPECT_THROW(make_animation(AnimationFormat::kGif, {}), Error);
  const std::array<AnimationFrame, 2> differ = {{{write_png(dots(1, 8, 8)), 1}, {write_png(dots(1, 9, 8)), 1}}};
  EXPECT_THROW(make_animation(AnimationFormat::kApng, differ), Error);
  EXPECT_THROW(make_animation(AnimationFormat::kWebp, differ), Error);
  EXPECT_FALSE(animation_format("a.png"));
  EXPECT_EQ(animation_format("A.GIF"), AnimationFormat::kGif);
}

}  // namespace
}  // namespace sinew::picture
