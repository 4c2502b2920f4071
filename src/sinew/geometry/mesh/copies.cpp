// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/copies.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sinew/core/parallel.h"

namespace sinew::geometry {
namespace {

using Corners = std::array<Vec3, 3>;

Corners sorted_corners(std::span<const Vec3> positions, const std::array<Index, 3>& triangle) {
  Corners p = {positions[triangle[0]], positions[triangle[1]], positions[triangle[2]]};
  std::sort(p.begin(), p.end(), [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  });
  return p;
}

// The same for equal corners in any order.
std::uint32_t place_hash(std::span<const Vec3> positions, const std::array<Index, 3>& triangle) {
  std::uint64_t sum = 0;
  for (const Index v : triangle) {
    std::uint64_t word = 0;
    for (int k = 0; k < 3; ++k) {
      const double x = positions[v][k] + 0.0;  // −0 is 0.
      word = (word ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15U;
      word ^= word >> 29;
    }
    sum += word;
  }
  return static_cast<std::uint32_t>((sum * 0xBF58476D1CE4E5B9U) >> 32);
}

}  // namespace

std::vector<Index> first_copies(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles) {
  std::vector<std::uint64_t> keys(triangles.size());
  std::vector<Index> first(triangles.size());
  parallel_for(
      triangles.size(),
      [&](std::size_t i) {
        first[i] = static_cast<Index>(i);
        keys[i] = (std::uint64_t{place_hash(positions, triangles[i])} << 32) | i;
      },
      4096);
  parallel_sort(keys);
  std::vector<Index> firsts;  // Of the present hash.
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (k > 0 && (keys[k] >> 32) != (keys[k - 1] >> 32)) firsts.clear();
    const auto triangle = static_cast<Index>(keys[k] & 0xFFFFFFFFU);
    if (!firsts.empty()) {
      const Corners own = sorted_corners(positions, triangles[triangle]);
      const auto same = [&](Index other) { return sorted_corners(positions, triangles[other]) == own; };
      if (const auto found = std::find_if(firsts.begin(), firsts.end(), same); found != firsts.end()) {
        first[triangle] = *found;
        continue;
      }
    }
    firsts.push_back(triangle);
  }
  return first;
}

std::vector<std::array<Index, 3>> without_many_copies(std::span<const Vec3> positions,
                                                      std::vector<std::array<Index, 3>> triangles) {
  const std::vector<Index> first = first_copies(positions, triangles);
  std::vector<std::array<Index, 3>> once;
  for (Index t = 0; t < first.size(); ++t)
    if (first[t] == t) once.push_back(triangles[t]);
  return kManyCopies * once.size() <= triangles.size() ? once : triangles;
}

}  // namespace sinew::geometry
