// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

// What the benchmarks share: a clock, and the keys whose sort they compare with.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::bench {

template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The time that the calling thread itself works: what other programs take of the processor meanwhile does not count.
template <class F>
double thread_seconds(F&& f) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  f();
  return now() - start;
}

// The best of at least `times` calls, and of as many as fit into `least_total_s`: what the machine can do when nothing
// else runs.
template <class F>
double best_seconds(int times, F&& f, double least_total_s = 0) {
  double best = 1e30, total = 0;
  for (int i = 0; i < times || total < least_total_s; ++i) {
    const double took = seconds(f);
    best = std::min(best, took);
    total += took;
  }
  return best;
}

// For what takes microseconds: a third of a second of it.
constexpr double kShortWorkSeconds = 0.33;

// One key per half-edge, the same for both directions.
inline std::vector<std::uint64_t> half_edge_keys(const Mesh& mesh) {
  std::vector<std::uint64_t> keys;
  keys.reserve(mesh.face_vertices.size());
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t i = 0; i < face.size(); ++i) {
      const Index a = face[i], b = face[(i + 1) % face.size()];
      keys.push_back((std::uint64_t{std::min(a, b)} << 32) | std::max(a, b));
    }
  }
  return keys;
}

}  // namespace sinew::bench
