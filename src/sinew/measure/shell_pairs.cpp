// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/shell_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace sinew::measure {

std::vector<std::array<Index, 2>> close_shell_pairs(const std::vector<Vec3>& at, const std::vector<Index>& shell,
                                                    double reach) {
  std::vector<std::array<Index, 2>> pairs;
  if (!(reach > 0)) return pairs;
  using Cell = std::array<std::int64_t, 3>;
  const auto cell_of = [&](const Vec3& p) {
    return Cell{static_cast<std::int64_t>(std::floor(p.x() / reach)),
                static_cast<std::int64_t>(std::floor(p.y() / reach)),
                static_cast<std::int64_t>(std::floor(p.z() / reach))};
  };
  std::map<Cell, std::vector<Index>> cells;
  for (Index v = 0; v < at.size(); ++v)
    if (shell[v] != kNone) cells[cell_of(at[v])].push_back(v);
  for (Index v = 0; v < at.size(); ++v) {
    if (shell[v] == kNone) continue;
    const Cell own = cell_of(at[v]);
    Index nearest = kNone;
    double least = reach;
    for (std::int64_t x = -1; x <= 1; ++x)
      for (std::int64_t y = -1; y <= 1; ++y)
        for (std::int64_t z = -1; z <= 1; ++z) {
          const auto found = cells.find({own[0] + x, own[1] + y, own[2] + z});
          if (found == cells.end()) continue;
          for (const Index u : found->second) {
            if (shell[u] == shell[v]) continue;
            const double distance = (at[u] - at[v]).norm();
            if (distance < least || (distance == least && u < nearest)) least = distance, nearest = u;
          }
        }
    if (nearest != kNone) pairs.push_back({std::min(v, nearest), std::max(v, nearest)});
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace sinew::measure
