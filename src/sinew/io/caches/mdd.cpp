// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/caches/mdd.h"

#include <bit>
#include <limits>

#include "sinew/core/error.h"

namespace sinew::io {
namespace {

// Most significant byte first, whatever the machine.
std::byte* put_big(std::byte* target, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) *target++ = static_cast<std::byte>(value >> shift);
  return target;
}

std::uint32_t get_big(const std::byte* source) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint32_t>(source[i]);
  return value;
}

float get_big_float(const std::byte* source) { return std::bit_cast<float>(get_big(source)); }

}  // namespace

Bytes mdd_header(Index points, std::span<const float> times_s) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (points > most || times_s.size() > most)
    throw Error("A Motion Designer file cannot count that many points or frames.");
  Bytes bytes(8 + 4 * times_s.size());
  std::byte* target = put_big(bytes.data(), static_cast<std::uint32_t>(times_s.size()));
  target = put_big(target, points);
  for (const float time : times_s) target = put_big(target, std::bit_cast<std::uint32_t>(time));
  return bytes;
}

Bytes mdd_frame(std::span<const Vec3f> positions) {
  Bytes bytes(12 * positions.size());
  std::byte* target = bytes.data();
  for (const Vec3f& p : positions)
    for (int c = 0; c < 3; ++c) target = put_big(target, std::bit_cast<std::uint32_t>(p[c]));
  return bytes;
}

Bytes write_mdd(const PointCache& cache) {
  Bytes bytes = mdd_header(cache.points, cache.times_s);
  const Bytes frames = mdd_frame(cache.positions);
  bytes.insert(bytes.end(), frames.begin(), frames.end());
  return bytes;
}

PointCache read_mdd(std::span<const std::byte> bytes) {
  if (bytes.size() < 8) throw Error("It is too short for a Motion Designer file.");
  const std::uint64_t frames = get_big(bytes.data()), points = get_big(bytes.data() + 4);
  if (frames == 0 || points == 0) throw Error("It is a Motion Designer file without frames or points.");
  const std::uint64_t numbers = (bytes.size() - 8) / 4;
  if (frames > numbers || points > numbers || frames * (1 + 3 * points) > numbers)
    throw Error("It is truncated: the header counts more frames than the file holds.");
  PointCache cache;
  cache.points = static_cast<Index>(points);
  const std::byte* source = bytes.data() + 8;
  for (std::uint64_t f = 0; f < frames; ++f, source += 4) cache.times_s.push_back(get_big_float(source));
  cache.positions.reserve(frames * points);
  for (std::uint64_t i = 0; i < frames * points; ++i, source += 12)
    cache.positions.emplace_back(get_big_float(source), get_big_float(source + 4), get_big_float(source + 8));
  return cache;
}

}  // namespace sinew::io
