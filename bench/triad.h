// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the machine's memory gives one thread, measured in the same run as what is compared with it.

#include <cstddef>
#include <vector>

#include "bench/timing.h"

namespace sinew::bench {

/// Bytes per second of a[i] = b[i] + s · c[i] over arrays far larger than the cache, counted as McCalpin's STREAM
/// counts them: 24 bytes for each element of eight, what the cache fetches in order to write not counted.
inline double triad_bytes_per_second(std::size_t elements = std::size_t{1} << 23) {
  std::vector<double> a(elements, 0.0), b(elements, 1.0), c(elements, 2.0);
  double s = 0.5;
  const auto add = [&] {
    double* const to = a.data();
    const double *const x = b.data(), *const y = c.data();
    for (std::size_t i = 0; i < elements; ++i) to[i] = x[i] + s * y[i];
    s += a[elements / 2] * 1e-9;
  };
  return 24.0 * static_cast<double>(elements) / best_seconds(5, add, kShortWorkSeconds);
}

}  // namespace sinew::bench
