// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/caches/mdd.h"

#include <gtest/gtest.h>

#include <array>

#include "sinew/core/error.h"

namespace sinew::io {
namespace {

PointCache two_frames_of_a_point() {
  PointCache cache;
  cache.points = 1;
  cache.times_s = {0, 0.5F};
  cache.positions = {{1, 2, -3}, {4, 5, 6}};
  return cache;
}

TEST(Mdd, NumbersLieWithTheMostSignificantByteFirst) {
  const Bytes bytes = write_mdd(two_frames_of_a_point());
  // Two frames, one point, times 0 and 0.5, then 1.0, 2.0, −3.0, …
  const std::array<int, 28> expected = {0, 0, 0,    2,    0, 0, 0,    1, 0, 0, 0,    0,    0x3F, 0,
                                        0, 0, 0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 0xC0, 0x40, 0,    0};
  ASSERT_EQ(bytes.size(), 8u + 8 + 24);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(static_cast<int>(bytes[i]), expected[i]) << i;
}

TEST(Mdd, WhatIsWrittenIsReadAgain) {
  const PointCache cache = two_frames_of_a_point(), again = read_mdd(write_mdd(cache));
  EXPECT_EQ(again.points, cache.points);
  EXPECT_EQ(again.times_s, cache.times_s);
  EXPECT_EQ(again.positions, cache.positions);
}

TEST(Mdd, WhatIsCutShortIsRefused) {
  const Bytes bytes = write_mdd(two_frames_of_a_point());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(read_mdd(std::span(bytes).first(length)), Error) << length;
  Bytes huge = bytes;
  for (std::size_t i = 0; i < 8; ++i) huge[i] = std::byte{0xFF};
  EXPECT_THROW(read_mdd(huge), Error);
}

}  // namespace
}  // namespace sinew::io
