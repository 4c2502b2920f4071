// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/animation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/picture/gif.h"
#include "sinew/picture/png.h"

namespace sinew::picture {
namespace {

constexpr int kMostTicks = 65535;

/// How long each frame is shown, in ticks. Their sums are rounded, not they themselves.
std::vector<int> ticks_of(std::span<const AnimationFrame> frames, double per_second) {
  std::vector<int> ticks;
  double end = 0, before = 0;
  for (const AnimationFrame& frame : frames) {
    end += frame.seconds * per_second;
    const double rounded = std::round(end);
    ticks.push_back(static_cast<int>(std::clamp(rounded - before, 1.0, 1.0 * kMostTicks)));
    before = rounded;
  }
  return ticks;
}

std::vector<Pixels> read_frames(std::span<const AnimationFrame> frames) {
  std::vector<Pixels> pixels;
  for (const AnimationFrame& frame : frames) {
    pixels.push_back(read_png(frame.image));
    if (pixels.back().width != pixels.front().width || pixels.back().height != pixels.front().height)
      throw Error("The frames of an animation must have the same size.");
  }
  return pixels;
}

void put_big(io::Bytes& out, std::uint32_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(value >> shift));
}

void put_little(io::Bytes& out, std::uint32_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) out.push_back(static_cast<std::byte>(value >> (8 * k)));
}

std::uint32_t little_at(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t k = count; k-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + k]);
  return value;
}

/// What changed from one opaque frame to the next; the rest is clear.
Pixels difference(const Pixels& before, const Pixels& now) {
  Pixels result = now;
  for (std::size_t at = 0; at < now.values.size(); at += 4)
    if (std::memcmp(&before.values[at], &now.values[at], 4) == 0)
      std::fill_n(result.values.begin() + static_cast<std::ptrdiff_t>(at), 4, std::uint8_t{0});
  return result;
}

bool is_opaque(const Pixels& pixels) {
  for (std::size_t at = 3; at < pixels.values.size(); at += 4)
    if (pixels.values[at] != 255) return false;
  return true;
}

// https://www.w3.org/TR/png-3/: an fcTL chunk before each frame; the first one is the still picture as well.
io::Bytes apng(std::span<const AnimationFrame> frames) {
  const std::vector<Pixels> pixels = read_frames(frames);
  const std::vector<int> ticks = ticks_of(frames, 1000);
  const bool opaque = std::all_of(pixels.begin(), pixels.end(), is_opaque);
  io::Bytes out, chunk;
  put_png_header(out, pixels.front());
  put_big(chunk, static_cast<std::uint32_t>(frames.size()), 4);
  put_big(chunk, 0, 4);  // For ever.
  put_png_chunk(out, "acTL", chunk);
  std::uint32_t sequence = 0;
  for (std::size_t f = 0; f < pixels.size(); ++f) {
    chunk.clear();
    put_big(chunk, sequence++, 4);
    for (const int value : {pixels[f].width, pixels[f].height, 0, 0})
      put_big(chunk, static_cast<std::uint32_t>(value), 4);
    put_big(chunk, static_cast<std::uint32_t>(ticks[f]), 2);
    put_big(chunk, 1000, 2);
    put_big(chunk, 0, 1);                          // It stays.
    put_big(chunk, opaque && f > 0 ? 1U : 0U, 1);  // Over the last one, or in its place.
    put_png_chunk(out, "fcTL", chunk);
    if (f == 0) {
      put_png_chunk(out, "IDAT", png_data(pixels[f]));
      continue;
    }
    chunk.clear();
    put_big(chunk, sequence++, 4);
    const io::Bytes data = png_data(opaque ? difference(pixels[f - 1], pixels[f]) : pixels[f]);
    chunk.insert(chunk.end(), data.begin(), data.end());
    put_png_chunk(out, "fdAT", chunk);
  }
  put_png_chunk(out, "IEND", {});
  return out;
}

/// A part of a RIFF file.
struct RiffChunk {
  std::string_view name;
  std::span<const std::byte> data;
};

std::vector<RiffChunk> riff_chunks(std::span<const std::byte> file) {
  const auto name_at = [&](std::size_t at) {
    return std::string_view(reinterpret_cast<const char*>(file.data() + at), 4);
  };
  if (file.size() < 12 || name_at(0) != "RIFF" || name_at(8) != "WEBP") throw Error("The picture is not a WebP file.");
  std::vector<RiffChunk> chunks;
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const std::size_t length = little_at(file, at + 4, 4);
    if (length > file.size() - at - 8) throw Error("The picture is not a whole WebP file.");
    chunks.push_back({name_at(at), file.subspan(at + 8, length)});
    at += 8 + length + length % 2;
  }
  return chunks;
}

void put_riff(io::Bytes& out, std::string_view name, std::span<const std::byte> data) {
  for (const char c : name) out.push_back(static_cast<std::byte>(c));
  put_little(out, static_cast<std::uint32_t>(data.size()), 4);
  out.insert(out.end(), data.begin(), data.end());
  if (data.size() % 2 != 0) out.push_back(std::byte{0});
}

struct WebpSize {
  std::uint32_t width = 0, height = 0;
  bool operator==(const WebpSize&) const = default;
};

WebpSize webp_size(const RiffChunk& chunk) {
  if (chunk.name == "VP8 " && chunk.data.size() >= 10)
    return {little_at(chunk.data, 6, 2) & 0x3FFF, little_at(chunk.data, 8, 2) & 0x3FFF};
  if (chunk.name == "VP8L" && chunk.data.size() >= 5) {
    const std::uint32_t bits = little_at(chunk.data, 1, 4);
    return {(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
  }
  throw Error("The picture is not a WebP file of a known kind.");
}

// https://www.rfc-editor.org/rfc/rfc9649: VP8X, ANIM, and an ANMF for each frame, which holds the chunks of a still
// picture.
io::Bytes webp(std::span<const AnimationFrame> frames) {
  const std::vector<int> ticks = ticks_of(frames, 1000);
  io::Bytes body;
  bool alpha = false;
  WebpSize size;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    io::Bytes picture;
    WebpSize here;
    for (const RiffChunk& chunk : riff_chunks(frames[f].image)) {
      alpha = alpha || chunk.name == "ALPH" || chunk.name == "VP8L";
      if (chunk.name != "ALPH" && chunk.name != "VP8 " && chunk.name != "VP8L") continue;
      if (chunk.name != "ALPH") here = webp_size(chunk);
      put_riff(picture, chunk.name, chunk.data);
    }
    if (f == 0) size = here;
    if (here != size || size.width == 0) throw Error("The frames of an animation must have the same size.");
    io::Bytes frame;
    put_little(frame, 0, 3);
    put_little(frame, 0, 3);
    put_little(frame, size.width - 1, 3);
    put_little(frame, size.height - 1, 3);
    put_little(frame, static_cast<std::uint32_t>(ticks[f]), 3);
    put_little(frame, 2, 1);  // In place of the last one, and it stays.
    frame.insert(frame.end(), picture.begin(), picture.end());
    put_riff(body, "ANMF", frame);
  }
  io::Bytes head, loop, out;
  put_little(head, 2U | (alpha ? 16U : 0U), 4);
  put_little(head, size.width - 1, 3);
  put_little(head, size.height - 1, 3);
  put_little(loop, 0xFFFFFFFF, 4);
  put_little(loop, 0, 2);  // For ever.
  io::Bytes content;
  for (const char c : std::string_view("WEBP")) content.push_back(static_cast<std::byte>(c));
  put_riff(content, "VP8X", head);
  put_riff(content, "ANIM", loop);
  content.insert(content.end(), body.begin(), body.end());
  put_riff(out, "RIFF", content);
  return out;
}

}  // namespace

std::optional<AnimationFormat> animation_format(const std::filesystem::path& path) {
  const std::string ending = lower_case(path.extension().string());
  if (ending == ".apng") return AnimationFormat::kApng;
  if (ending == ".gif") return AnimationFormat::kGif;
  if (ending == ".webp") return AnimationFormat::kWebp;
  return {};
}

io::Bytes make_animation(AnimationFormat format, std::span<const AnimationFrame> frames) {
  if (frames.empty()) throw Error("An animation needs at least one frame.");
  switch (format) {
    case AnimationFormat::kApng:
      return apng(frames);
    case AnimationFormat::kWebp:
      return webp(frames);
    case AnimationFormat::kGif:
      break;
  }
  const std::vector<Pixels> pixels = read_frames(frames);
  return write_gif(pixels, ticks_of(frames, 100));
}

}  // namespace sinew::picture
