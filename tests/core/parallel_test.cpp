// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

namespace sinew {
namespace {

class Parallel : public testing::Test {
 protected:
  void TearDown() override { set_thread_count(0); }
};

std::vector<float> numbers(std::size_t count) {
  std::mt19937 rng(7);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = any(rng) * std::pow(10.0F, 6 * any(rng));
  return values;
}

float sum(const std::vector<float>& values) {
  return parallel_reduce(
      values.size(), 0.0F,
      [&](std::size_t begin, std::size_t end) {
        float part = 0;
        for (std::size_t i = begin; i < end; ++i) part += values[i];
        return part;
      },
      [](float a, float b) { return a + b; }, 64);
}

TEST_F(Parallel, SumsHaveTheSameBitsForOneToFourThreads) {
  const std::vector<float> values = numbers(100'003);
  set_thread_count(1);
  const float expected = sum(values);
  for (int threads = 2; threads <= 4; ++threads) {
    set_thread_count(threads);
    for (int run = 0; run < 20; ++run) ASSERT_EQ(sum(values), expected) << threads;
  }
}

TEST_F(Parallel, SortsAreTheSameForOneToFourThreads) {
  std::mt19937_64 rng(3);
  std::vector<std::uint64_t> keys(50'000);
  for (auto& key : keys) key = rng() % 1000;
  std::vector<std::uint64_t> expected = keys;
  std::sort(expected.begin(), expected.end());
  for (int threads = 1; threads <= 4; ++threads) {
    set_thread_count(threads);
    std::vector<std::uint64_t> sorted = keys;
    parallel_sort(sorted);
    EXPECT_EQ(sorted, expected);
  }
}

TEST_F(Parallel, EveryIndexIsVisitedOnce) {
  for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 1000u})
    for (const std::size_t grain : {1u, 64u, 5000u}) {
      std::vector<int> visits(count, 0);
      parallel_for(
          count, [&](std::size_t i) { ++visits[i]; }, grain);
      EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 1; })) << count << " " << grain;
    }
}

TEST_F(Parallel, BlocksDependOnCountAndGrainAlone) {
  for (int threads = 1; threads <= 4; ++threads) {
    set_thread_count(threads);
    std::vector<std::size_t> ends(7, 0);
    parallel_blocks(650, 100, [&](std::size_t begin, std::size_t end) { ends[begin / 100] = end; });
    EXPECT_EQ(ends, (std::vector<std::size_t>{100, 200, 300, 400, 500, 600, 650}));
  }
}

TEST_F(Parallel, AnExceptionReachesTheCaller) {
  for (int threads = 1; threads <= 2; ++threads) {
    set_thread_count(threads);
    EXPECT_THROW(parallel_for(
                     10'000,
                     [](std::size_t i) {
                       if (i == 7777) throw std::runtime_error("here");
                     },
                     16),
                 std::runtime_error);
  }
}

TEST_F(Parallel, ThreadsAreLimitedAndFreedAgain) {
  const int all = thread_count();
  set_thread_count(1);
  EXPECT_EQ(thread_count(), 1);
  set_thread_count(0);
  EXPECT_EQ(thread_count(), all);
}

}  // namespace
}  // namespace sinew
