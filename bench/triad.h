// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the machine's memory gives one thread, measured in the same run as what is compared with it.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "bench/timing.h"

namespace sinew::bench {

/// The size of the largest cache that the first processor can use, in bytes. Linux lists the caches of each processor;
/// elsewhere the C library is asked, which on some machines adds up the caches of all processors.
inline std::size_t last_level_cache_bytes() {
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::size_t size = 0;
    char unit = 'K';
    if (!(file >> size)) continue;
    file >> unit;
    largest = std::max(largest, size << (unit == 'M' ? 20 : 10));
  }
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (largest == 0) largest = static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
#endif
  return largest > 0 ? largest : std::size_t{32} << 20;
}

/// The loop a[i] = b[i] + s · c[i] over arrays that together are several times as large as the last-level cache. Its
/// bytes are counted as McCalpin's STREAM counts them: what the loop reads and writes, 24 bytes for each element of
/// eight; what the cache fetches in order to write is not counted.
class Triad {
 public:
  explicit Triad(std::size_t total_bytes)
      : a_(total_bytes / 24, 0.0), b_(total_bytes / 24, 1.0), c_(total_bytes / 24, 2.0) {}

  double bytes() const { return 24.0 * static_cast<double>(a_.size()); }

  void run() {
    double* const to = a_.data();
    const double *const x = b_.data(), *const y = c_.data();
    for (std::size_t i = 0; i < a_.size(); ++i) to[i] = x[i] + s_ * y[i];
    s_ += to[a_.size() / 2] * 1e-9;
  }

 private:
  std::vector<double> a_, b_, c_;
  double s_ = 0.5;
};

}  // namespace sinew::bench
