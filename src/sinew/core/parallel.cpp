// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/parallel.h"

// parallel_std.cpp does the same without TBB.
#if !defined(SINEW_STD_THREADS)

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace sinew {
namespace {

std::mutex control_mutex;
// Never deleted at the end of the program: its destructor allocates memory and must not throw, so that a lack of memory
// there would end a program that has done its work with a signal.
auto& control = *new std::unique_ptr<tbb::global_control>;

}  // namespace

void set_thread_count(int count) {
  const std::lock_guard lock(control_mutex);
  control.reset();
  if (count > 0)
    control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(count));
}

int thread_count() {
  const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::max(1, std::min(static_cast<int>(allowed), tbb::info::default_concurrency()));
}

void parallel_blocks(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  if (grain == 0) grain = 1;
  const std::size_t blocks = (count + grain - 1) / grain;
  const auto run = [&](std::size_t block) { body(block * grain, std::min(count, (block + 1) * grain)); };
  if (blocks == 1 || thread_count() == 1) {
    for (std::size_t block = 0; block < blocks; ++block) run(block);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks, 1), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t block = range.begin(); block != range.end(); ++block) run(block);
  });
}

void parallel_sort(std::span<std::uint64_t> keys) {
  if (keys.size() < 10'000 || thread_count() == 1) std::sort(keys.begin(), keys.end());
  else tbb::parallel_sort(keys.begin(), keys.end());
}

}  // namespace sinew

#endif
