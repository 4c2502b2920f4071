// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Threading by the standard library alone, for the thread sanitizer: Debian's TBB is not compiled for it, so it would
// take every pair of blocks for a race. Blocks of one loop are ordered with its beginning and end, not with each other.

#include "sinew/core/parallel.h"

#if defined(SINEW_STD_THREADS)

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace sinew {
namespace {

std::atomic<int> limit{0};
thread_local bool inside_a_loop = false;

// The blocks of one loop.
struct Loop {
  const std::function<void(std::size_t block)>& run;
  std::size_t blocks;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr problem;

  void take_blocks() {
    inside_a_loop = true;
    for (;;) {
      const std::size_t block = next.fetch_add(1, std::memory_order_relaxed);
      if (block >= blocks) break;
      try {
        run(block);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!problem) problem = std::current_exception();
        next.store(blocks, std::memory_order_relaxed);
      }
    }
    inside_a_loop = false;
  }
};

class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    ready_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// One loop at a time. \return false, with nothing done, when another one runs.
  bool run(Loop& loop, std::size_t helpers) {
    const std::unique_lock one(one_loop_, std::try_to_lock);
    if (!one.owns_lock()) return false;
    {
      const std::lock_guard lock(mutex_);
      while (threads_.size() < helpers) threads_.emplace_back([this] { serve(); });
      loop_ = &loop;
      wanted_ = helpers;
    }
    ready_.notify_all();
    loop.take_blocks();
    std::unique_lock lock(mutex_);
    loop_ = nullptr;
    done_.wait(lock, [&] { return busy_ == 0; });
    return true;
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ready_.wait(lock, [&] { return stop_ || (loop_ && wanted_ > 0); });
      if (stop_) return;
      Loop* const loop = loop_;
      --wanted_;
      ++busy_;
      lock.unlock();
      loop->take_blocks();
      lock.lock();
      if (--busy_ == 0) done_.notify_all();
    }
  }

  std::mutex one_loop_;
  std::mutex mutex_;  ///< Of all that follows.
  std::condition_variable ready_, done_;
  std::vector<std::thread> threads_;
  Loop* loop_ = nullptr;
  std::size_t wanted_ = 0;
  std::size_t busy_ = 0;
  bool stop_ = false;
};

Pool& pool() {
  static Pool shared;
  return shared;
}

}  // namespace

void set_thread_count(int count) { limit = count; }

int thread_count() {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int allowed = limit;
  return allowed > 0 ? std::min(allowed, cores) : cores;
}

void parallel_blocks(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  if (grain == 0) grain = 1;
  const std::size_t blocks = (count + grain - 1) / grain;
  const std::function<void(std::size_t)> run = [&](std::size_t block) {
    body(block * grain, std::min(count, (block + 1) * grain));
  };
  Loop loop{run, blocks, {}, {}, {}};
  const auto threads = std::min(blocks, static_cast<std::size_t>(thread_count()));
  if (threads == 1 || inside_a_loop || !pool().run(loop, threads - 1)) {
    for (std::size_t block = 0; block < blocks; ++block) run(block);
    return;
  }
  if (loop.problem) std::rethrow_exception(loop.problem);
}

void parallel_sort(std::span<std::uint64_t> keys) { std::sort(keys.begin(), keys.end()); }

}  // namespace sinew

#endif
