// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/gif.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <unordered_map>

namespace sinew::picture {
namespace {

using Color = std::array<std::uint8_t, 3>;

constexpr int kColors = 255;
constexpr std::uint8_t kClear = 255;  // The index of nothing: what was there before shows through.
constexpr int kCellBits = 5;          // Of a channel, for counting colours.
constexpr int kLookupBits = 6;        // Of a channel, for finding the nearest one.
// The distance between neighbouring colours of a palette, on a scale of 256, that dithering bridges.
constexpr int kDither = 10;

/// Colours that are counted together.
struct Cell {
  std::uint64_t count = 0;
  std::array<std::uint64_t, 3> sum = {};

  Color mean() const {
    return {static_cast<std::uint8_t>(sum[0] / count), static_cast<std::uint8_t>(sum[1] / count),
            static_cast<std::uint8_t>(sum[2] / count)};
  }
};

std::vector<Cell> count_colors(std::span<const Pixels> frames) {
  std::vector<Cell> cells(std::size_t{1} << (3 * kCellBits));
  for (const Pixels& frame : frames)
    for (std::size_t at = 0; at < frame.values.size(); at += 4) {
      if (frame.values[at + 3] < 128) continue;
      std::size_t key = 0;
      for (std::size_t k = 0; k < 3; ++k) key = key << kCellBits | frame.values[at + k] >> (8 - kCellBits);
      ++cells[key].count;
      for (std::size_t k = 0; k < 3; ++k) cells[key].sum[k] += frame.values[at + k];
    }
  std::erase_if(cells, [](const Cell& cell) { return cell.count == 0; });
  return cells;
}

/// Median cut (Heckbert 1982): the box with the largest count times extent is cut at its median.
std::vector<Color> choose_palette(std::vector<Cell> cells) {
  struct Box {
    std::size_t begin, end, axis;
    double weight;
  };
  const auto boxed = [&](std::size_t begin, std::size_t end) {
    Box box{begin, end, 0, 0};
    std::uint64_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += cells[i].count;
    int widest = -1;
    for (std::size_t k = 0; k < 3; ++k) {
      int low = 255, high = 0;
      for (std::size_t i = begin; i < end; ++i) {
        low = std::min<int>(low, cells[i].mean()[k]);
        high = std::max<int>(high, cells[i].mean()[k]);
      }
      if (high - low > widest) widest = high - low, box.axis = k;
    }
    box.weight = static_cast<double>(count) * widest * (end - begin > 1 ? 1 : 0);
    return box;
  };
  if (cells.empty()) return {Color{0, 0, 0}};
  std::vector<Box> boxes = {boxed(0, cells.size())};
  while (boxes.size() < kColors) {
    const auto largest =
        std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.weight < b.weight; });
    if (!(largest->weight > 0)) break;
    const Box box = *largest;
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(box.begin);
    const auto end = cells.begin() + static_cast<std::ptrdiff_t>(box.end);
    std::stable_sort(begin, end, [&](const Cell& a, const Cell& b) { return a.mean()[box.axis] < b.mean()[box.axis]; });
    std::uint64_t total = 0, half = 0;
    for (std::size_t i = box.begin; i < box.end; ++i) total += cells[i].count;
    std::size_t cut = box.begin;
    while (cut + 1 < box.end && (cut == box.begin || 2 * half < total)) half += cells[cut++].count;
    *largest = boxed(box.begin, cut);
    boxes.push_back(boxed(cut, box.end));
  }
  std::vector<Color> palette;
  for (const Box& box : boxes) {
    Cell sum;
    for (std::size_t i = box.begin; i < box.end; ++i) {
      sum.count += cells[i].count;
      for (std::size_t k = 0; k < 3; ++k) sum.sum[k] += cells[i].sum[k];
    }
    palette.push_back(sum.mean());
  }
  return palette;
}

/// Finds colours of a palette; what was found is kept.
class Lookup {
 public:
  explicit Lookup(const std::vector<Color>& palette)
      : palette_(palette), known_(std::size_t{1} << (3 * kLookupBits), -1) {}

  std::uint8_t nearest(const std::array<int, 3>& color) {
    std::size_t key = 0;
    for (const int value : color) key = key << kLookupBits | static_cast<std::size_t>(value >> (8 - kLookupBits));
    if (known_[key] >= 0) return static_cast<std::uint8_t>(known_[key]);
    int best = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < palette_.size(); ++i) {
      int distance = 0;
      // Eyes see differences of green best, of blue least.
      for (std::size_t k = 0; k < 3; ++k) {
        const int d = (color[k] | 1) - palette_[i][k];
        distance += (k == 1 ? 4 : k == 0 ? 2 : 1) * d * d;
      }
      if (distance < best) best = distance, known_[key] = static_cast<std::int16_t>(i);
    }
    return static_cast<std::uint8_t>(known_[key]);
  }

 private:
  const std::vector<Color>& palette_;
  std::vector<std::int16_t> known_;
};

/// Thresholds of an 8 × 8 pattern (Bayer 1973), from −32 to 31.
int threshold(int x, int y) {
  int value = 0;
  for (int bit = 0; bit < 3; ++bit) {
    const int a = (x >> bit) & 1, b = (y >> bit) & 1;
    value |= ((a ^ b) << 1 | b) << (2 * (2 - bit));
  }
  return value - 32;
}

std::vector<std::uint8_t> indexed(const Pixels& frame, Lookup& lookup) {
  std::vector<std::uint8_t> result;
  result.reserve(frame.values.size() / 4);
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x) {
      const std::size_t at =
          4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.width) + static_cast<std::size_t>(x));
      if (frame.values[at + 3] < 128) {
        result.push_back(kClear);
        continue;
      }
      const int shift = threshold(x, y) * kDither / 64;
      std::array<int, 3> color{};
      for (std::size_t k = 0; k < 3; ++k) color[k] = std::clamp(frame.values[at + k] + shift, 0, 255);
      result.push_back(lookup.nearest(color));
    }
  return result;
}

/// Packs codes of 3 to 12 bits into blocks of at most 255 bytes.
class CodeWriter {
 public:
  explicit CodeWriter(io::Bytes& out) : out_(out) {}

  void put(int code, int bits) {
    waiting_ |= static_cast<std::uint32_t>(code) << filled_;
    filled_ += bits;
    while (filled_ >= 8) {
      byte(static_cast<std::uint8_t>(waiting_));
      waiting_ >>= 8;
      filled_ -= 8;
    }
  }
  void finish() {
    if (filled_ > 0) byte(static_cast<std::uint8_t>(waiting_));
    flush();
    out_.push_back(std::byte{0});
  }

 private:
  void byte(std::uint8_t value) {
    block_.push_back(static_cast<std::byte>(value));
    if (block_.size() == 255) flush();
  }
  void flush() {
    if (block_.empty()) return;
    out_.push_back(static_cast<std::byte>(block_.size()));
    out_.insert(out_.end(), block_.begin(), block_.end());
    block_.clear();
  }

  io::Bytes& out_;
  io::Bytes block_;
  std::uint32_t waiting_ = 0;
  int filled_ = 0;
};

/// Welch's variant of LZ78, as GIF defines it.
void compress(io::Bytes& out, const std::vector<std::uint8_t>& values) {
  constexpr int kStart = 256, kEnd = 257, kMostCodes = 4096;
  out.push_back(std::byte{8});
  CodeWriter writer(out);
  std::unordered_map<std::uint32_t, int> known;
  int next = kEnd + 1, bits = 9;
  writer.put(kStart, bits);
  int word = -1;
  for (const std::uint8_t value : values) {
    if (word < 0) {
      word = value;
      continue;
    }
    const std::uint32_t key = static_cast<std::uint32_t>(word) << 8 | value;
    if (const auto found = known.find(key); found != known.end()) {
      word = found->second;
      continue;
    }
    writer.put(word, bits);
    known.emplace(key, next);
    // A reader is one code behind: the width grows when the code after the last that fits is made.
    if (next == 1 << bits && bits < 12) ++bits;
    if (++next == kMostCodes) {
      writer.put(kStart, bits);
      known.clear();
      next = kEnd + 1;
      bits = 9;
    }
    word = value;
  }
  if (word >= 0) {
    writer.put(word, bits);
    if (next == 1 << bits && bits < 12) ++bits;
  }
  writer.put(kEnd, bits);
  writer.finish();
}

void put_short(io::Bytes& out, int value) {
  out.push_back(static_cast<std::byte>(value & 255));
  out.push_back(static_cast<std::byte>(value >> 8 & 255));
}

void put_bytes(io::Bytes& out, std::initializer_list<int> values) {
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
}

struct Rect {
  int x = 0, y = 0, width = 0, height = 0;
};

/// The smallest part that holds all changes; one pixel if there are none.
Rect changed_part(const std::vector<std::uint8_t>& before, const std::vector<std::uint8_t>& now, int width,
                  int height) {
  int left = width, right = -1, top = height, bottom = -1;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      if (before[at] == now[at]) continue;
      left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
    }
  if (right < 0) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

void put_frame(io::Bytes& out, const Rect& part, int ticks, bool replaces, const std::vector<std::uint8_t>& values) {
  // Graphic control: the frame stays, or the background comes back after it.
  put_bytes(out, {0x21, 0xF9, 4, (replaces ? 2 : 1) << 2 | 1});
  put_short(out, ticks);
  put_bytes(out, {kClear, 0, 0x2C});
  for (const int value : {part.x, part.y, part.width, part.height}) put_short(out, value);
  out.push_back(std::byte{0});
  compress(out, values);
}

}  // namespace

io::Bytes write_gif(std::span<const Pixels> frames, std::span<const int> ticks) {
  const int width = frames.front().width, height = frames.front().height;
  const std::vector<Color> palette = choose_palette(count_colors(frames));
  Lookup lookup(palette);
  std::vector<std::vector<std::uint8_t>> pictures;
  bool clear = false;
  for (const Pixels& frame : frames) {
    pictures.push_back(indexed(frame, lookup));
    clear = clear || std::find(pictures.back().begin(), pictures.back().end(), kClear) != pictures.back().end();
  }
  io::Bytes out;
  for (const char c : std::string_view("GIF89a")) out.push_back(static_cast<std::byte>(c));
  put_short(out, width);
  put_short(out, height);
  put_bytes(out, {0xF7, kClear, 0});  // 256 colours of eight bits.
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t k = 0; k < 3; ++k) out.push_back(static_cast<std::byte>(i < palette.size() ? palette[i][k] : 0));
  put_bytes(out, {0x21, 0xFF, 11});
  for (const char c : std::string_view("NETSCAPE2.0")) out.push_back(static_cast<std::byte>(c));
  put_bytes(out, {3, 1, 0, 0, 0});  // For ever.
  for (std::size_t f = 0; f < pictures.size(); ++f) {
    if (f == 0 || clear) {
      put_frame(out, {0, 0, width, height}, ticks[f], clear, pictures[f]);
      continue;
    }
    const Rect part = changed_part(pictures[f - 1], pictures[f], width, height);
    std::vector<std::uint8_t> values;
    for (int y = part.y; y < part.y + part.height; ++y)
      for (int x = part.x; x < part.x + part.width; ++x) {
        const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
        values.push_back(pictures[f][at] == pictures[f - 1][at] ? kClear : pictures[f][at]);
      }
    put_frame(out, part, ticks[f], false, values);
  }
  out.push_back(std::byte{0x3B});
  return out;
}

}  // namespace sinew::picture
