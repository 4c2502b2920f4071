// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// A cell of an unbounded grid.
using HashCell = std::array<std::int64_t, 3>;

/// Returns the cell that contains a point.
inline HashCell hash_cell(const Vec3& p, const Vec3& origin, double cell_size) {
  const Vec3 scaled = (p - origin) / cell_size;
  return {static_cast<std::int64_t>(std::floor(scaled.x())), static_cast<std::int64_t>(std::floor(scaled.y())),
          static_cast<std::int64_t>(std::floor(scaled.z()))};
}

/// Returns the slot of a cell in a hash table. \pre the size of the table is a power of two.
inline std::size_t hash_slot(const HashCell& cell, std::size_t table_size) {
  std::uint64_t h = 0;
  for (const std::int64_t x : cell) {
    h = (h ^ static_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15U;
    h ^= h >> 31;
  }
  return h & (table_size - 1);
}

}  // namespace sinew::geometry
