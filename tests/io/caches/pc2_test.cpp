// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/caches/pc2.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sinew/core/error.h"

namespace sinew::io {
namespace {

PointCache three_frames_of_two_points() {
  PointCache cache;
  cache.points = 2;
  cache.first_frame = 7;
  cache.times_s = {7, 8, 9};
  for (int i = 0; i < 6; ++i) cache.positions.emplace_back(static_cast<float>(i), 0.5F, static_cast<float>(-i));
  return cache;
}

TEST(Pc2, HeaderIsWhatOtherProgramsRead) {
  const Bytes bytes = write_pc2(three_frames_of_two_points());
  ASSERT_EQ(bytes.size(), 32u + 3 * 2 * 12);
  EXPECT_EQ(std::memcmp(bytes.data(), "POINTCACHE2\0", 12), 0);
  std::int32_t version = 0, points = 0, frames = 0;
  float first = 0, step = 0, y = 0;
  std::memcpy(&version, bytes.data() + 12, 4);
  std::memcpy(&points, bytes.data() + 16, 4);
  std::memcpy(&first, bytes.data() + 20, 4);
  std::memcpy(&step, bytes.data() + 24, 4);
  std::memcpy(&frames, bytes.data() + 28, 4);
  std::memcpy(&y, bytes.data() + 36, 4);
  EXPECT_EQ(version, 1);
  EXPECT_EQ(points, 2);
  EXPECT_EQ(frames, 3);
  EXPECT_EQ(first, 7.0F);
  EXPECT_EQ(step, 1.0F);
  EXPECT_EQ(y, 0.5F);
}

TEST(Pc2, WhatIsWrittenIsReadAgain) {
  const PointCache cache = three_frames_of_two_points(), again = read_pc2(write_pc2(cache));
  EXPECT_EQ(again.points, cache.points);
  EXPECT_EQ(again.first_frame, cache.first_frame);
  EXPECT_EQ(again.times_s, cache.times_s);
  EXPECT_EQ(again.positions, cache.positions);
}

TEST(Pc2, WhatIsCutShortOrSomethingElseIsRefused) {
  const Bytes bytes = write_pc2(three_frames_of_two_points());
  for (std::size_t length = 0; length < bytes.size(); length += 3)
    EXPECT_THROW(read_pc2(std::span(bytes).first(length)), Error) << length;
  Bytes other = bytes;
  other[0] = std::byte{'Q'};
  EXPECT_THROW(read_pc2(other), Error);
  Bytes huge = bytes;
  const std::int32_t many = 0x7FFFFFFF, none = 0;
  std::memcpy(huge.data() + 28, &many, 4);
  EXPECT_THROW(read_pc2(huge), Error);
  std::memcpy(huge.data() + 16, &none, 4);
  EXPECT_THROW(read_pc2(huge), Error);
}

}  // namespace
}  // namespace sinew::io
