// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the machine's memory gives one thread, measured in the same run as what is compared with it.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace sinew::bench {

/// The shortest of at least `times` calls, and of as many as fit into a third of a second.
template <class F>
double shortest_seconds(int times, F&& f) {
  using Clock = std::chrono::steady_clock;
  double shortest = 1e30, total = 0;
  for (int i = 0; i < times || total < 0.33; ++i) {
    const auto start = Clock::now();
    f();
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    shortest = std::min(shortest, took);
    total += took;
  }
  return shortest;
}

/// Bytes per second of a[i] = b[i] + s · c[i] over arrays far larger than the cache, counted as McCalpin's STREAM
/// counts them: 24 bytes for each element of eight, what the cache fetches in order to write not counted.
inline double triad_bytes_per_second(std::size_t elements = std::size_t{1} << 23) {
  std::vector<double> a(elements, 0.0), b(elements, 1.0), c(elements, 2.0);
  double s = 0.5;
  const double seconds = shortest_seconds(5, [&] {
    double* const to = a.data();
    const double *const x = b.data(), *const y = c.data();
    for (std::size_t i = 0; i < elements; ++i) to[i] = x[i] + s * y[i];
    s += a[elements / 2] * 1e-9;
  });
  return 24.0 * static_cast<double>(elements) / seconds;
}

}  // namespace sinew::bench
