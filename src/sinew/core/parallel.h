// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// All threading of the library. Every result is the same for any number of threads: iterations of loops write to
/// separate elements, reductions combine fixed chunks in a fixed order, and sorts need a total order.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinew {

/// Limits the number of threads of all later parallel work; 0 means one per core. The last call takes effect.
void set_thread_count(int count);

/// Returns the number of threads that parallel work may use.
int thread_count();

/// Calls `body(begin, end)` for blocks of at most `grain` indices that together cover [0, count). Blocks run in any
/// order on any thread; their bounds depend only on `count` and `grain`. Exceptions are passed to the caller.
void parallel_blocks(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t begin, std::size_t end)>& body);

/// Calls `body(i)` for every i in [0, count).
template <class Body>
void parallel_for(std::size_t count, Body&& body, std::size_t grain = 2048) {
  parallel_blocks(count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// Combines the results of `chunk(begin, end) -> T` for fixed chunks with `join(T, T) -> T`, in the order of the
/// chunks. The result, including floating point, has the same bits for any number of threads.
template <class T, class Chunk, class Join>
T parallel_reduce(std::size_t count, T identity, Chunk&& chunk, Join&& join, std::size_t grain = 4096) {
  static_assert(!std::is_same_v<T, bool>, "the chunks' results would share bytes");
  const std::size_t chunks = (count + grain - 1) / grain;
  std::vector<T> partial(chunks, identity);
  parallel_blocks(count, grain,
                  [&](std::size_t begin, std::size_t end) { partial[begin / grain] = chunk(begin, end); });
  T result = std::move(identity);
  for (T& value : partial) result = join(std::move(result), std::move(value));
  return result;
}

/// Sorts integers; equal keys are indistinguishable, so the order is the same for any number of threads.
void parallel_sort(std::span<std::uint64_t> keys);

}  // namespace sinew
