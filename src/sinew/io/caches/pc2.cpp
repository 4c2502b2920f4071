// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/caches/pc2.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "sinew/core/error.h"

namespace sinew::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

constexpr std::size_t kPc2Header = 32;
constexpr char kPc2Mark[12] = "POINTCACHE2";

template <class T>
void put_at(Bytes& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

template <class T>
T get_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

Bytes pc2_header(Index points, std::size_t frames, double first_frame) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (points > most || frames > most) throw Error("A Point Cache 2 file cannot count that many points or frames.");
  Bytes bytes(kPc2Header);
  std::memcpy(bytes.data(), kPc2Mark, sizeof kPc2Mark);
  put_at(bytes, 12, std::int32_t{1});
  put_at(bytes, 16, static_cast<std::int32_t>(points));
  put_at(bytes, 20, static_cast<float>(first_frame));
  put_at(bytes, 24, 1.0F);
  put_at(bytes, 28, static_cast<std::int32_t>(frames));
  return bytes;
}

Bytes write_pc2(const PointCache& cache) {
  Bytes bytes = pc2_header(cache.points, cache.frames(), cache.first_frame);
  const auto positions = std::as_bytes(std::span(cache.positions));
  bytes.insert(bytes.end(), positions.begin(), positions.end());
  return bytes;
}

PointCache read_pc2(std::span<const std::byte> bytes) {
  if (bytes.size() < kPc2Header || std::memcmp(bytes.data(), kPc2Mark, sizeof kPc2Mark) != 0)
    throw Error("It is not a Point Cache 2 file (bad signature).");
  if (get_at<std::int32_t>(bytes, 12) != 1) throw Error("It is a Point Cache 2 file of an unknown version.");
  const auto points = get_at<std::int32_t>(bytes, 16), frames = get_at<std::int32_t>(bytes, 28);
  const auto first = get_at<float>(bytes, 20), step = get_at<float>(bytes, 24);
  if (points < 0 || frames < 0) throw Error("It holds a negative number of points or frames.");
  const std::size_t held = (bytes.size() - kPc2Header) / sizeof(Vec3f);
  if (static_cast<std::uint64_t>(points) * static_cast<std::uint64_t>(frames) > held ||
      (points == 0 && static_cast<std::size_t>(frames) > bytes.size()))
    throw Error("It is truncated: the header counts more frames than the file holds.");
  PointCache cache;
  cache.points = static_cast<Index>(points);
  cache.first_frame = static_cast<double>(first);
  for (std::int32_t f = 0; f < frames; ++f) cache.times_s.push_back(first + step * static_cast<float>(f));
  cache.positions.resize(static_cast<std::size_t>(points) * static_cast<std::size_t>(frames));
  if (!cache.positions.empty())
    std::memcpy(static_cast<void*>(cache.positions.data()), bytes.data() + kPc2Header,
                cache.positions.size() * sizeof(Vec3f));
  return cache;
}

}  // namespace sinew::io
